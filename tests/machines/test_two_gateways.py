"""Two gateways behind nginx, as on a server: one is drained, one is killed, and no ballot is lost."""

import http.client
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass

import msgspec
import pytest
from websockets.sync.client import connect

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop.network import LOOPBACK
from tests.crowd_helpers import (
    BRISK,
    PHONES,
    TIMEOUT_S,
    connected,
    crowd,
    held,
    leave,
    resolve_another,
    restart,
)
from tests.deploy.processes import wait_until
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    assert_resolved_once,
    list_turns,
    resolved_turns,
)
from tests.machines.nginx import running_nginx
from tests.machines.postgres import Postgres
from tests.machines.two_gateways import GATEWAYS, ProxiedStack, running_proxied_stack
from tests.server import SERVERS

SLOW_CLIENTS = 50
HEADER_TIME_S = 10
INTERNAL_PATHS = ("/metrics", "/readyz")


@dataclass
class FailoverRun:
    """The result of voting through nginx while one gateway was drained and the other killed."""

    proxied: ProxiedStack
    event: int
    report: RehearsalReport
    ended_in: int
    killed_in: int
    spread: list[int]
    slow_clients_left: int


@pytest.fixture(scope="module", params=SERVERS)
def proxied(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres: Postgres
) -> Iterator[ProxiedStack]:
    data = tmp_path_factory.mktemp(request.param)
    with running_proxied_stack(data, request.param, postgres.new_database()) as proxied:
        yield proxied


@pytest.fixture(scope="module")
def failover(proxied: ProxiedStack) -> FailoverRun:
    event = proxied.ask("event", **BRISK)
    data, code = proxied.stack.data, event["code"]
    with open_slow_clients(proxied) as slow_clients, crowd(proxied, code, data) as phones:
        began = time.monotonic()
        proxied.ask("begin", event_id=event["id"])
        wait_until(lambda: connected(proxied, event["id"]) == PHONES, TIMEOUT_S)
        spread = held(proxied, event["id"])
        ended_in = end(proxied, event["id"], GATEWAYS[0], signal.SIGTERM)
        send_slowly(slow_clients)
        killed_in = end(proxied, event["id"], GATEWAYS[1], signal.SIGKILL)
        resolve_another(proxied, event["id"])
        report = leave(phones, data)
        time.sleep(max(0, began + HEADER_TIME_S + 1 - time.monotonic()))
        left = sum(is_open(slow_client) for slow_client in slow_clients)
    resolve_another(proxied, event["id"])
    return FailoverRun(proxied, event["id"], report, ended_in, killed_in, spread, left)


@contextmanager
def open_slow_clients(proxied: ProxiedStack) -> Iterator[list[socket.socket]]:
    """Clients that start a request and never finish it."""
    with ExitStack() as held:
        slow_clients = [socket.create_connection((LOOPBACK, proxied.nginx.port)) for _ in range(SLOW_CLIENTS)]
        for slow_client in slow_clients:
            held.enter_context(slow_client)
            slow_client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        yield slow_clients


def send_slowly(slow_clients: list[socket.socket]) -> None:
    for slow_client in slow_clients:
        with suppress(OSError):
            slow_client.sendall(b"x")


def is_open(connection: socket.socket) -> bool:
    connection.settimeout(0)
    try:
        return bool(connection.recv(4096))
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def end(proxied: ProxiedStack, event: int, gateway: str, how: signal.Signals) -> int:
    """Signal a gateway during a window; return the turn once it is resolved and all phones are back."""
    turn = restart(proxied, event, gateway, how)
    wait_until(lambda: status(proxied.gateway_url(gateway), "/readyz") == http.HTTPStatus.OK, TIMEOUT_S)
    wait_until(lambda: connected(proxied, event) == PHONES, TIMEOUT_S)
    return turn


def status(base: str, path: str) -> int:
    """The HTTP status, or 0 if nothing answers."""
    with closing(http.client.HTTPConnection(base.removeprefix("http://"), timeout=10)) as connection:
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0


def test_nginx_spreads_phones_over_both_gateways(failover: FailoverRun) -> None:
    assert len(failover.spread) == len(GATEWAYS)
    assert min(failover.spread) >= PHONES // 3


def test_gateway_drain_and_kill_lose_no_acknowledged_ballot(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.proxied, failover.event)
    assert {failover.ended_in, failover.killed_in} <= set(resolved) & set(failover.report.ledger)
    assert_nothing_is_lost(failover.proxied, failover.report, resolved)
    assert_counts_are_of_sealed_ballots(failover.proxied)
    assert_resolved_once(failover.proxied, failover.event)


def test_gateway_drains_on_sigterm_and_restarts(failover: FailoverRun) -> None:
    drained, killed = (line for line in failover.proxied.said if line.startswith("gateway-"))
    assert drained.startswith("gateway-1 exited with status 0")
    assert killed.startswith("gateway-2 was killed by SIGKILL")
    assert failover.proxied.log_errors(GATEWAYS[0]) == []


def test_phones_reconnect_to_the_other_gateway(failover: FailoverRun) -> None:
    report = failover.report
    assert (report.joined, report.connected, report.unreadable, report.away) == (PHONES, PHONES, 0, {})
    assert report.reconnects >= PHONES
    assert list_turns(failover.proxied, failover.event, "void", "paused") == []


def test_nginx_closes_slow_requests(failover: FailoverRun) -> None:
    assert failover.slow_clients_left == 0


@pytest.mark.parametrize("path", INTERNAL_PATHS)
def test_nginx_hides_internal_paths_of_the_gateways(proxied: ProxiedStack, path: str) -> None:
    assert status(proxied.gateway_url(GATEWAYS[0]), path) == http.HTTPStatus.OK
    for variant in (path, f"/{path}", f"{path}/", path.upper(), path.replace("m", "%6D").replace("y", "%79")):
        assert status(proxied.http, variant) == http.HTTPStatus.NOT_FOUND, variant


def test_nginx_forwards_https_scheme_to_gateway(proxied: ProxiedStack) -> None:
    """Django checks the Referer over https only, and a client cannot forge the scheme."""
    with running_nginx(proxied.ports, tls=True) as nginx:
        secure = http.client.HTTPSConnection(LOOPBACK, nginx.tls_port, context=nginx.trust)
        assert "Referer" in log_in(secure)
        assert status(f"http://{LOOPBACK}:{nginx.port}", "/") == http.HTTPStatus.PERMANENT_REDIRECT
    refused = log_in(http.client.HTTPConnection(LOOPBACK, proxied.nginx.port))
    assert "CSRF" in refused
    assert "Referer" not in refused


def log_in(connection: http.client.HTTPConnection) -> str:
    """The answer to a form without Referer that claims to use https."""
    with closing(connection):
        connection.request("POST", "/console/login/", headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().read().decode()


def test_websocket_works_over_https(proxied: ProxiedStack) -> None:
    code = proxied.ask("event", lobby="open")["code"]
    with running_nginx(proxied.ports, tls=True) as nginx:
        address = f"wss://{LOOPBACK}:{nginx.tls_port}/ws/phone"
        with connect(address, ssl=nginx.trust, compression=None) as phone:
            phone.send(msgspec.json.encode({"type": "phone.join", "code": code}).decode())
            assert msgspec.json.decode(phone.recv(timeout=10))["type"] == "phone.welcomed"
