from pathlib import Path

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.proxy_headers import client_address
from tests.crowdgame.server.serving.conftest import run_asgi_server
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
def test_client_address_is_from_the_outermost_proxy(proxies: int, values: list[str], client: str) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in values]
    assert client_address(LOOPBACK, [(b"forwarded", SPOOFED.encode()), *headers], proxies) == client


@pytest.mark.parametrize("server_name", ASGI_SERVERS_TESTED)
@pytest.mark.parametrize(("proxies", "client"), [(0, f"http {LOOPBACK}"), (1, f"https {CLIENT}")])
def test_only_trusted_proxy_is_believed(server_name: str, proxies: int, client: str, tmp_path: Path) -> None:
    sent = {"X_Forwarded_For": f"{SPOOFED}\r\nX-Forwarded-For: {CLIENT}", "X_Forwarded_Proto": "https"}
    handshake = head(**sent).replace(b"/anywhere?a=b", b"/client")
    page = handshake.replace(b"Upgrade: websocket\r\n", b"").replace(b"keep-alive, Upgrade", b"close")
    with run_asgi_server(server_name, tmp_path / "note", proxies=proxies) as asgi_server:
        for request, expected in ((page, client), (handshake, client.replace("http", "ws"))):
            with dial(asgi_server) as connection:
                connection.sendall(request)
                received = read_until(connection, expected.encode())
                assert received.endswith(expected.encode()), received
