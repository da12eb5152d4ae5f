"""Whose pages may open a socket here, and by which names the house answers. On both servers, on the wire."""

import http.client
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from crowdgame.web import hosts
from deploy.laptop.network import LOOPBACK
from tests.faces import Faces
from tests.stack import House

FOREIGN = [
    "http://evil.example",
    "https://evil.example:8000",
    "null",
    "",
    "file://",
    "http://",
    "http://127.0.0.1.evil.example",
    "http://evil.example/?127.0.0.1",
    "http://127.0.0.1@evil.example",
    "chrome-extension://abcdefghijklmnop",
]


@pytest.fixture(autouse=True)
def quiet(house: House) -> Any:
    since = len(house.log("gateway"))
    yield
    assert house.log_errors("gateway", since) == []


def origin_of(house: House, name: str = "") -> str:
    return house.http.replace(LOOPBACK, name) if name else house.http


@pytest.mark.parametrize("path", ["phone", "display", "console", "chat"])
@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_somebody_elses_opens_no_socket(path: str, origin: str, house: House, faces: Faces) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        faces.open(path, {"Origin": origin})
    assert refusal.value.response.status_code in {400, 403}


@pytest.mark.parametrize("path", ["phone", "display"])
def test_our_own_pages_do_and_what_is_no_browser(path: str, house: House, faces: Faces) -> None:
    for headers in (None, {"Origin": house.http}, {"Origin": origin_of(house, "localhost")}):
        face = faces.open(path, headers)
        face.say("clock.ask", sent=1).receive("clock.synced")


def test_a_console_is_opened_from_its_own_port_only(house: House, faces: Faces) -> None:
    """A cookie goes to every port of a name."""
    code, cookie = house.ask("event")["code"], house.ask("session", name="olga")
    faces.console(code, cookie).receive("console.welcomed")
    for wrong in (f"http://{LOOPBACK}:1", f"http://{LOOPBACK}", origin_of(house, "localhost"), None):
        headers = {"Cookie": cookie} | ({"Origin": wrong} if wrong else {})
        with pytest.raises(InvalidStatus) as refusal:
            faces.open("console", headers)
        assert refusal.value.response.status_code == 403


@pytest.mark.parametrize(
    "path", ["/", "/BCDF", "/console/login/", "/nothing", "/admin/", "/static/nothing.js"]
)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "a@b", "", "evil.example:80:80"])
def test_by_another_name_nothing_is_here(path: str, host: str, house: House) -> None:
    assert asked(house, path, host) == 400


def test_watchers_may_use_any_name(house: House) -> None:
    """A cluster asks its pods by their addresses."""
    assert asked(house, "/healthz", "10.1.2.3:8000") == 200


def test_one_host_only(house: House) -> None:
    with socket.create_connection((LOOPBACK, house.stack.port), timeout=5) as line:
        line.sendall(b"GET /console/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(64).split()[1] == b"400"


def asked(house: House, path: str, host: str) -> int:
    line = http.client.HTTPConnection(LOOPBACK, house.stack.port, timeout=5)
    try:
        line.request("GET", path, headers={"Host": host})
        return line.getresponse().status
    finally:
        line.close()


@pytest.fixture
def renamed() -> Iterator[None]:
    """Settings may be changed: what was asked before is forgotten."""
    hosts.is_known_host.cache_clear()
    yield
    hosts.is_known_host.cache_clear()


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize(
    ("host", "known"),
    [
        (b"192.168.7.2:8000", True),
        (b"169.254.3.4", True),
        (b"203.0.113.5", True),
        (b"[::1]:8000", True),
        (b"[fe80::1]", True),
        (b"play.local", True),
        (b"evil.example", False),
        (b"192.168.7.2.evil.example", False),
        (b"127.1", False),
        (b"::1", False),
        (b"any_address", False),
    ],
)
def test_every_address_but_no_other_name_where_any_address_is_known(
    host: bytes, known: bool, settings: Any
) -> None:
    settings.SERVER_NAMES = ["play.local", settings.ANY_ADDRESS]
    assert hosts.is_known_host(host) == known


@pytest.mark.parametrize(
    ("origin", "https", "own"),
    [
        (b"http://testserver", False, True),
        (b"https://testserver", False, True),
        (b"https://testserver", True, True),
        (b"http://testserver", True, False),
        (b"ftp://testserver", False, False),
    ],
)
def test_a_house_with_https_trusts_no_page_without(
    origin: bytes, https: bool, own: bool, settings: Any
) -> None:
    settings.HTTPS = https
    scope = {"headers": [(b"host", b"testserver"), (b"origin", origin)]}
    assert hosts.is_allowed_origin(scope) == own
    assert hosts.is_same_origin(scope) == own


@pytest.mark.parametrize(
    ("host", "known"),
    [(b"testserver", True), (b"TESTSERVER:80", True), (b"localhost.", True), (b"[::1]", False), (b"", False)],
)
def test_names(host: bytes, known: bool) -> None:
    assert hosts.is_known_host(host) == known
