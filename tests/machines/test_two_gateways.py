"""Two gateways behind nginx, as on a server: one ends, one is killed, and nobody loses a ballot."""

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
    PATIENCE_S,
    PHONES,
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
    resolved_turns,
    turns_of,
)
from tests.machines.nginx import running_nginx
from tests.machines.postgres import Postgres
from tests.machines.two_gateways import GATEWAYS, Street, running_street
from tests.stack import SERVERS

DAWDLERS = 50
HEADER_TIME_S = 10
INTERNAL_PATHS = ("/metrics", "/readyz")


@dataclass
class FailoverRun:
    """What a crowd played through nginx while one gateway was ended and the other killed."""

    street: Street
    event: int
    report: RehearsalReport
    ended_in: int
    killed_in: int
    spread: list[int]
    dawdlers_left: int


@pytest.fixture(scope="module", params=SERVERS)
def street(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, postgres: Postgres
) -> Iterator[Street]:
    data = tmp_path_factory.mktemp(request.param)
    with running_street(data, request.param, postgres.new_database()) as street:
        yield street


@pytest.fixture(scope="module")
def failover(street: Street) -> FailoverRun:
    event = street.ask("event", **BRISK)
    data, code = street.stack.data, event["code"]
    with dawdling(street) as dawdlers, crowd(street, code, data) as phones:
        began = time.monotonic()
        street.ask("begin", event_id=event["id"])
        wait_until(lambda: connected(street, event["id"]) == PHONES, PATIENCE_S)
        spread = held(street, event["id"])
        ended_in = end(street, event["id"], GATEWAYS[0], signal.SIGTERM)
        dawdle(dawdlers)
        killed_in = end(street, event["id"], GATEWAYS[1], signal.SIGKILL)
        resolve_another(street, event["id"])
        report = leave(phones, data)
        time.sleep(max(0, began + HEADER_TIME_S + 1 - time.monotonic()))
        left = sum(is_open(dawdler) for dawdler in dawdlers)
    resolve_another(street, event["id"])
    return FailoverRun(street, event["id"], report, ended_in, killed_in, spread, left)


@contextmanager
def dawdling(street: Street) -> Iterator[list[socket.socket]]:
    """Clients that begin to ask and never come to an end."""
    with ExitStack() as held:
        dawdlers = [socket.create_connection((LOOPBACK, street.nginx.port)) for _ in range(DAWDLERS)]
        for dawdler in dawdlers:
            held.enter_context(dawdler)
            dawdler.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        yield dawdlers


def dawdle(dawdlers: list[socket.socket]) -> None:
    for dawdler in dawdlers:
        with suppress(OSError):
            dawdler.sendall(b"x")


def is_open(connection: socket.socket) -> bool:
    connection.settimeout(0)
    try:
        return bool(connection.recv(4096))
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def end(street: Street, event: int, gateway: str, how: signal.Signals) -> int:
    """In the middle of a window; all phones are there again when that turn, which is told, is resolved."""
    turn = restart(street, event, gateway, how)
    wait_until(lambda: status(street.gateway_url(gateway), "/readyz") == http.HTTPStatus.OK, PATIENCE_S)
    wait_until(lambda: connected(street, event) == PHONES, PATIENCE_S)
    return turn


def status(base: str, path: str) -> int:
    """0 if there is nobody."""
    with closing(http.client.HTTPConnection(base.removeprefix("http://"), timeout=10)) as connection:
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0


def test_both_gateways_have_their_share_of_the_phones(failover: FailoverRun) -> None:
    assert len(failover.spread) == len(GATEWAYS)
    assert min(failover.spread) >= PHONES // 3


def test_no_acknowledged_ballot_is_lost_when_a_gateway_ends_or_dies(failover: FailoverRun) -> None:
    resolved = resolved_turns(failover.street, failover.event)
    assert {failover.ended_in, failover.killed_in} <= set(resolved) & set(failover.report.ledger)
    assert_nothing_is_lost(failover.street, failover.report, resolved)
    assert_counts_are_of_sealed_ballots(failover.street)
    assert_resolved_once(failover.street, failover.event)


def test_a_gateway_drains_at_sigterm_and_comes_back(failover: FailoverRun) -> None:
    drained, killed = (line for line in failover.street.said if line.startswith("gateway-"))
    assert drained.startswith("gateway-1 ended with exit status 0")
    assert killed.startswith("gateway-2 was ended by SIGKILL")
    assert failover.street.log_errors(GATEWAYS[0]) == []


def test_phones_moved_over_and_understood_everything(failover: FailoverRun) -> None:
    report = failover.report
    assert (report.joined, report.connected, report.unreadable, report.away) == (PHONES, PHONES, 0, {})
    assert report.reconnects >= PHONES
    assert turns_of(failover.street, failover.event, "void", "paused") == []


def test_whoever_is_slow_in_asking_is_let_go(failover: FailoverRun) -> None:
    assert failover.dawdlers_left == 0


@pytest.mark.parametrize("path", INTERNAL_PATHS)
def test_watchers_ask_a_gateway_itself(street: Street, path: str) -> None:
    assert status(street.gateway_url(GATEWAYS[0]), path) == http.HTTPStatus.OK
    for way in (path, f"/{path}", f"{path}/", path.upper(), path.replace("m", "%6D").replace("y", "%79")):
        assert status(street.http, way) == http.HTTPStatus.NOT_FOUND, way


def test_a_gateway_learns_from_nginx_that_a_page_came_by_https(street: Street) -> None:
    """Over https Django asks where a form came from; over http it does not, whatever the client says."""
    with running_nginx(street.ports, tls=True) as nginx:
        secure = http.client.HTTPSConnection(LOOPBACK, nginx.tls_port, context=nginx.trust)
        assert "Referer" in log_in(secure)
        assert status(f"http://{LOOPBACK}:{nginx.port}", "/") == http.HTTPStatus.PERMANENT_REDIRECT
    refused = log_in(http.client.HTTPConnection(LOOPBACK, street.nginx.port))
    assert "CSRF" in refused
    assert "Referer" not in refused


def log_in(connection: http.client.HTTPConnection) -> str:
    """What is answered to a form that names no page it would come from, and claims to come by https."""
    with closing(connection):
        connection.request("POST", "/console/login/", headers={"X-Forwarded-Proto": "https"})
        return connection.getresponse().read().decode()


def test_a_socket_works_through_https(street: Street) -> None:
    code = street.ask("event", lobby="open")["code"]
    with running_nginx(street.ports, tls=True) as nginx:
        address = f"wss://{LOOPBACK}:{nginx.tls_port}/ws/phone"
        with connect(address, ssl=nginx.trust, compression=None) as phone:
            phone.send(msgspec.json.encode({"type": "phone.join", "code": code}).decode())
            assert msgspec.json.decode(phone.recv(timeout=10))["type"] == "phone.welcomed"
