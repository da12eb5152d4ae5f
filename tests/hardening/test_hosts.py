import socket
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.web import hosts
from tests.monitoring.probes import ask
from tests.server import Server
from tests.socket_clients import SocketClients

FOREIGN = (
    *(b"ftp://testserver", b"file://", b"http://", b"http://testserver.evil.example", b"null", b""),
    *(b"http://evil.example/?testserver", b"chrome-extension://abcdefghijklmnop"),
)


@pytest.fixture(autouse=True)
def no_logged_errors(server: Server) -> Any:
    since = len(server.log("gateway"))
    yield
    assert server.log_errors("gateway", since) == []


@pytest.mark.parametrize("path", ["phone", "display", "console", "chat"])
def test_websocket_refuses_foreign_origin(path: str, server: Server, clients: SocketClients) -> None:
    for origin in ("http://evil.example", "null", "", "http://127.0.0.1@evil.example"):
        with pytest.raises(InvalidStatus) as refusal:
            clients.open(path, {"Origin": origin})
        assert refusal.value.response.status_code in {400, 403}
    own = (None, {"Origin": server.http}, {"Origin": f"http://localhost:{server.stack.port}"})
    for headers in own if path in {"phone", "display"} else ():
        clients.open(path, headers).say("clock.ask", sent=1).receive("clock.synced")


def test_console_socket_requires_origin_on_same_port(server: Server, clients: SocketClients) -> None:
    """Browsers send a cookie to every port of its host."""
    code, cookie = server.ask("event")["code"], server.ask("session", name="olga")
    clients.console(code, cookie).receive("console.welcomed")
    wrong = (f"http://{LOOPBACK}:1", f"http://{LOOPBACK}", f"http://localhost:{server.stack.port}")
    for origin in ({}, *({"Origin": one} for one in wrong)):
        headers = {"Cookie": cookie, **origin}
        with pytest.raises(InvalidStatus) as refusal:
            clients.open("console", headers)
        assert refusal.value.response.status_code == 403


@pytest.mark.parametrize("path", ["/BCDF", "/console/login/", "/nothing", "/admin/", "/static/nothing.js"])
def test_http_refuses_unknown_host(path: str, server: Server) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "a@b", "", "evil.example:80:80"):
        assert ask(server, path, {"Host": host}).status == 400


def test_only_health_check_accepts_any_host_and_nothing_two_hosts(server: Server) -> None:
    """Kubernetes probes pods by IP address."""
    assert ask(server, "/healthz", {"Host": "10.1.2.3:8000"}).status == 200
    with socket.create_connection((LOOPBACK, server.stack.port), timeout=5) as line:
        line.sendall(b"GET /console/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(64).split()[1] == b"400"


def test_is_known_host_any_address_accepts_ips_but_not_names(settings: Any) -> None:
    rebound = {"headers": [(b"host", b"evil.example"), (b"origin", b"http://evil.example")]}
    assert not hosts.is_same_origin(rebound)
    known = ["testserver", "TESTSERVER:80", "localhost."]
    assert [host for host in (*known, "[::1]", "") if hosts.is_known_host(host.encode())] == known
    settings.SERVER_NAMES = ["play.local", settings.ANY_ADDRESS]
    hosts.is_known_host.cache_clear()
    known = ["192.168.7.2:8000", "169.254.3.4", "203.0.113.5", "[::1]:8000", "[fe80::1]", "play.local"]
    unknown = ["evil.example", "192.168.7.2.evil.example", "127.1", "::1", "any_address"]
    assert [host for host in known + unknown if hosts.is_known_host(host.encode())] == known
    hosts.is_known_host.cache_clear()


@pytest.mark.parametrize(
    ("origin", "https", "own"),
    [
        (b"http://testserver", False, True),
        (b"https://testserver", False, True),
        (b"https://testserver", True, True),
        (b"http://testserver", True, False),
        *((origin, False, False) for origin in FOREIGN),
    ],
)
def test_origin_check_refuses_http_with_https(origin: bytes, https: bool, own: bool, settings: Any) -> None:
    settings.HTTPS = https
    scope = {"headers": [(b"host", b"testserver"), (b"origin", origin)]}
    assert hosts.is_allowed_origin(scope) == own
    assert hosts.is_same_origin(scope) == own
