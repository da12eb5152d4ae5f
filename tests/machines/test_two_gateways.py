"""Two gateways behind nginx, as on a server: one is drained, one is killed, and no ballot is lost."""

import http.client
import json
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from websockets.sync.client import connect

from crowdgame.server.laptop import stack as children
from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import SERVERS, Stack
from crowdgame.server.laptop.startup import migrate, reset_metrics_dir, start_ballot_box
from crowdgame.server.laptop.supervisor import Supervisor
from tests.crowd_helpers import PHONES, TIMEOUT_S, connected, held, list_turns, restart, vote_during
from tests.deploy.processes import wait_until
from tests.machines.nginx import Nginx, running_nginx
from tests.machines.postgres import Postgres
from tests.server import Server, organizer

GATEWAYS = ("gateway-1", "gateway-2")


@dataclass
class ProxiedStack(Server):
    """A running stack. `ports` are the gateways' own ports, `said` the supervisor's messages."""

    nginx: Nginx
    ports: tuple[int, ...]
    said: list[str]

    def gateway_url(self, gateway: str) -> str:
        return f"http://{LOOPBACK}:{self.ports[GATEWAYS.index(gateway)]}"


@contextmanager
def running_proxied_stack(data: Path, server: str, database_url: str) -> Iterator[ProxiedStack]:
    ports = tuple(free_port() for _ in GATEWAYS)
    said: list[str] = []
    with running_nginx(ports) as nginx, Supervisor(data / "logs", said.append) as supervisor:
        stack = Stack(data, "of the tests", nginx.port, valkey_port=free_port(), database_url=database_url)
        stack = replace(stack, server=server, gateways=len(ports))
        start_ballot_box(stack, supervisor)
        migrate(stack)
        reset_metrics_dir(stack.metrics_dir)
        gateways = [children.gateway(stack, *place) for place in enumerate(ports, 1)]
        supervisor.start(*(replace(one, argv=[*one.argv, "--proxied"]) for one in gateways))
        supervisor.start(children.worker(stack), *children.schedulers(stack))
        for port in ports:
            assert wait_for_http(LOOPBACK, port, 60)
        with organizer(stack) as asked:
            yield ProxiedStack(stack, supervisor, asked, nginx, ports, said)


@pytest.fixture(scope="module", params=SERVERS)
def proxied(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres: Postgres
) -> Iterator[ProxiedStack]:
    data = tmp_path_factory.mktemp(request.param)
    with running_proxied_stack(data, request.param, postgres.new_database()) as proxied:
        yield proxied


def test_phones_reconnect_to_the_other_gateway_if_one_is_drained_or_killed(proxied: ProxiedStack) -> None:
    events: list[int] = []

    def fail(event: int) -> list[int]:
        events.append(event)
        wait_until(lambda: connected(proxied, event) == PHONES, TIMEOUT_S)
        shares = held(proxied, event)
        assert len(shares) == len(GATEWAYS)
        assert min(shares) >= PHONES // 3
        how = (signal.SIGTERM, signal.SIGKILL)
        return [end(proxied, event, *one) for one in zip(GATEWAYS, how, strict=True)]

    report = vote_during(fail, proxied)
    assert report.connected == PHONES
    assert report.reconnects >= PHONES
    assert list_turns(proxied, events[0], "void", "paused") == []
    drained, killed = (line for line in proxied.said if line.startswith("gateway-"))
    assert drained.startswith("gateway-1 exited with status 0")
    assert killed.startswith("gateway-2 was killed by SIGKILL")
    assert proxied.log_errors(GATEWAYS[0]) == []


def end(proxied: ProxiedStack, event: int, gateway: str, how: signal.Signals) -> int:
    """Signal a gateway during a window; return the turn once it is resolved and all phones are back."""
    turn = restart(proxied, event, gateway, how)
    wait_until(lambda: status(proxied.gateway_url(gateway), "/readyz") == http.HTTPStatus.OK, TIMEOUT_S)
    wait_until(lambda: connected(proxied, event) == PHONES, TIMEOUT_S)
    return turn


def status(base: str, path: str) -> int:
    with closing(http.client.HTTPConnection(base.removeprefix("http://"), timeout=10)) as connection:
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_nginx_hides_internal_paths_of_the_gateways(proxied: ProxiedStack, path: str) -> None:
    assert status(proxied.gateway_url(GATEWAYS[0]), path) == http.HTTPStatus.OK
    for variant in (path, f"/{path}", f"{path}/", path.upper(), path.replace("m", "%6D").replace("y", "%79")):
        assert status(proxied.http, variant) == http.HTTPStatus.NOT_FOUND, variant


def test_pages_and_websockets_work_over_https(proxied: ProxiedStack) -> None:
    """Django checks the Referer over https only, and a client cannot forge the scheme."""
    code = proxied.ask("event", lobby="open")["code"]
    with running_nginx(proxied.ports, tls=True) as nginx:
        secure = http.client.HTTPSConnection(LOOPBACK, nginx.tls_port, context=nginx.trust)
        assert "Referer" in log_in(secure)
        assert status(f"http://{LOOPBACK}:{nginx.port}", "/") == http.HTTPStatus.PERMANENT_REDIRECT
        address = f"wss://{LOOPBACK}:{nginx.tls_port}/ws/phone"
        with connect(address, ssl=nginx.trust, compression=None) as phone:
            phone.send(json.dumps({"type": "phone.join", "code": code}))
            assert json.loads(phone.recv(timeout=10))["type"] == "phone.welcomed"
    refused = log_in(http.client.HTTPConnection(LOOPBACK, proxied.nginx.port))
    assert ("CSRF" in refused, "Referer" in refused) == (True, False)


def log_in(connection: http.client.HTTPConnection) -> str:
    """The answer to a form without Referer that claims to use https."""
    with closing(connection):
        connection.request("POST", "/console/login/", headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().read().decode()
