from collections.abc import Iterator

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.proxy_headers import client_address
from tests.crowdgame.server.serving.conftest import AsgiServer, run_asgi_server
from tests.crowdgame.server.serving.test_handshake import dial, head, read_until
from tests.server import ASGI_SERVERS_TESTED

SPOOFED = "192.0.2.66"
CLIENT = "93.184.216.34"
OUTER_PROXY = "10.0.0.9"


@pytest.mark.parametrize(
    ("proxies", "values", "client"),
    [
        (1, [CLIENT], CLIENT),
        (1, [SPOOFED, CLIENT], CLIENT),
        (1, [f"{SPOOFED},{CLIENT}:4711"], CLIENT),
        (1, [f"{SPOOFED}, [2606:2800::1]:4711"], "2606:2800::1"),
        (1, [f"{SPOOFED}, unknown"], LOOPBACK),
        (1, [], LOOPBACK),
        (2, [f"{SPOOFED}, {CLIENT}, {OUTER_PROXY}"], CLIENT),
        (2, [CLIENT], CLIENT),
        (0, [SPOOFED], LOOPBACK),
    ],
)
def test_client_address_is_what_the_outermost_proxy_wrote(
    proxies: int, values: list[str], client: str
) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in values]
    assert client_address(LOOPBACK, [(b"forwarded", SPOOFED.encode()), *headers], proxies) == client


@pytest.fixture(scope="module", params=ASGI_SERVERS_TESTED)
def proxied_servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[int, AsgiServer]]:
    notes = tmp_path_factory.mktemp("proxied") / "note"
    with (
        run_asgi_server(request.param, notes) as none,
        run_asgi_server(request.param, notes, proxies=1) as one,
        run_asgi_server(request.param, notes, proxies=2) as two,
    ):
        yield {0: none, 1: one, 2: two}


@pytest.mark.parametrize(
    ("proxies", "forwarded_for", "client"),
    [
        (1, f"{SPOOFED}\r\nX-Forwarded-For: {CLIENT}", CLIENT),
        (1, "", LOOPBACK),
        (2, f"{SPOOFED}, {CLIENT}, {OUTER_PROXY}", CLIENT),
        (0, SPOOFED, LOOPBACK),
    ],
)
def test_servers_tell_the_application_the_address_of_the_client(
    proxied_servers: dict[int, AsgiServer], proxies: int, forwarded_for: str, client: str
) -> None:
    header = f"X-Forwarded-For: {forwarded_for}\r\n" if forwarded_for else ""
    get = f"GET /client HTTP/1.1\r\nHost: here\r\n{header}\r\n"
    handshake = head(**({"X_Forwarded_For": forwarded_for} if forwarded_for else {}))
    for request in (get.encode(), handshake.replace(b"/anywhere?a=b", b"/client")):
        with dial(proxied_servers[proxies]) as connection:
            connection.sendall(request)
            assert read_until(connection, client.encode()).endswith(f" {client}".encode())


def test_scheme_is_the_proxys(proxied_servers: dict[int, AsgiServer]) -> None:
    for proxies, scheme in ((0, b"http"), (1, b"https")):
        with dial(proxied_servers[proxies]) as connection:
            connection.sendall(b"GET /client HTTP/1.1\r\nHost: here\r\nX-Forwarded-Proto: https\r\n\r\n")
            address = LOOPBACK.encode()
            assert read_until(connection, address).endswith(b"\r\n%b %b" % (scheme, address))
