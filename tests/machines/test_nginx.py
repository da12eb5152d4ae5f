import http.client
import re
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.core.signing import TimestampSigner

from crowdgame.accounts.known_devices import SALT
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from tests.machines.nginx import Nginx, running_nginx

REQUESTS = 60
PAGES = ("/console/", "/console/enter/x", "/play/data", "/api/v1/", "/rules", "/verify.py", "/board/X.png")
OTHERS = ("/", "/BCDF", "/BCDF/1", "/display/BCDF", "/ws/console", "/record/BCDF/1/roots.json", "/static/a")


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(204)
        self.send_header("Port", str(self.request.getsockname()[1]))
        self.send_header("Saw", f"{self.headers['X-Forwarded-For']} {self.headers['X-Forwarded-Proto']}")
        self.end_headers()

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


@contextmanager
def running_gateway() -> Iterator[int]:
    with ThreadingHTTPServer((LOOPBACK, 0), Gateway) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def nginx() -> Iterator[Nginx]:
    with running_gateway() as port, running_nginx([port]) as nginx:
        yield nginx


def statuses(nginx: Nginx, method: str, path: str, cookie: str = "") -> Counter[tuple[int, str | None]]:
    found: Counter[tuple[int, str | None]] = Counter()
    with closing(http.client.HTTPConnection(LOOPBACK, nginx.port, timeout=10)) as connection:
        for _ in range(REQUESTS):
            connection.request(method, path, headers={"Content-Length": "0", "Cookie": cookie})
            response = connection.getresponse()
            response.read()
            found[response.status, response.getheader("Retry-After")] += 1
    return found


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/console/login/"), ("GET", "/play/login"), ("POST", "/play/")]
)
def test_nginx_does_not_limit_other_requests(nginx: Nginx, method: str, path: str) -> None:
    assert statuses(nginx, method, path) == {(204, None): REQUESTS}


def test_nginx_limits_logins_of_all_pages_together_but_not_of_known_devices(nginx: Nginx) -> None:
    """It logs no address."""
    first = statuses(nginx, "POST", "/console/login/")
    assert first[204, None] >= 20
    assert first[503, "2"] >= 20
    for path in ("/console/signup/", "/console/2fa/authenticate/", "/play/login", "/play/account"):
        assert statuses(nginx, "POST", path)[503, "2"] >= 20
    for forged in ("known=1", f"known=1:1vPxyz:{'x' * 99}"):
        assert statuses(nginx, "POST", "/console/login/", forged)[503, "2"] >= 20
    assert LOOPBACK not in nginx.log
    for user_id, name in (("1", "known"), ("2", "__Host-known")):
        cookie = f"csrftoken=c; {name}={TimestampSigner(salt=SALT).sign(user_id)}; sessionid=s"
        assert statuses(nginx, "POST", "/console/login/", cookie)[204, None] >= 20


def test_nginx_closes_requests_that_never_end(nginx: Nginx) -> None:
    with socket.create_connection((LOOPBACK, nginx.port), timeout=60) as slow_client:
        slow_client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        with suppress(ConnectionResetError):
            assert not slow_client.recv(4096)


def test_nginx_sends_pages_to_their_own_process_or_to_a_gateway_meanwhile() -> None:
    with (
        running_gateway() as pages,
        running_gateway() as gateway,
        running_nginx([gateway], pages=pages) as nginx,
        running_nginx([gateway], pages=free_port()) as restarting,
    ):
        assert {path: answered_by(nginx, path) for path in PAGES} == dict.fromkeys(PAGES, pages)
        assert {path: answered_by(nginx, path) for path in OTHERS} == dict.fromkeys(OTHERS, gateway)
        assert answered_by(restarting, "/console/") == gateway


def test_nginx_trusts_forwarded_headers_only_with_the_directives_for_it(nginx: Nginx) -> None:
    def trust(folder: Path) -> None:
        [directives] = re.findall(r"NGINX_DIRECTIVES='(.*)'", (ROOT / "compose.yaml").read_text())
        file = folder / "nginx.conf"
        file.write_text(file.read_text().replace("server_name _;", directives))

    with running_gateway() as port, running_nginx([port], spoil=trust) as behind_proxy:
        assert header(behind_proxy, "/", "Saw") == "198.51.100.7 https"
    assert header(nginx, "/", "Saw") == f"{LOOPBACK} http"


def answered_by(nginx: Nginx, path: str) -> int:
    return int(header(nginx, path, "Port"))


def header(nginx: Nginx, path: str, name: str) -> str:
    with closing(http.client.HTTPConnection(LOOPBACK, nginx.port, timeout=10)) as connection:
        forged = {"X-Forwarded-For": "192.0.2.1, 198.51.100.7", "X-Forwarded-Proto": "gopher"}
        connection.request("GET", path, headers=forged)
        return connection.getresponse().getheader(name, "")
