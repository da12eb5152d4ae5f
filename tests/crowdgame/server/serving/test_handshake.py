import re
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from crowdgame.server.serving.proxy_headers import client_address
from tests.crowdgame.server.serving.conftest import AsgiServer, run_asgi_server
from tests.server import ASGI_SERVERS_TESTED

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
HELLO = b"\x81\x85\0\0\0\0hello"
ANSWER = b"\x81\x05hello"
USUAL = {
    "Host": "here",
    "Upgrade": "websocket",
    "Connection": "keep-alive, Upgrade",
    "Sec-WebSocket-Key": KEY,
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
}
INVALID_ORIGINS = (b"http://[bad", b"http://here:there", b"elsewhere")
SPOOFED = "192.0.2.66"
CLIENT = "93.184.216.34"


def head(**headers: str) -> bytes:
    fields = USUAL | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = ["GET /anywhere?a=b HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items() if value)]
    return "\r\n".join([*lines, "", ""]).encode()


def dial(asgi_server: AsgiServer) -> socket.socket:
    return socket.create_connection((LOOPBACK, asgi_server.port), timeout=5)


def read_until(connection: socket.socket, wanted: bytes) -> bytes:
    received = b""
    while wanted not in received and (more := connection.recv(65_536)):
        received += more
    return received


def read_to_end(connection: socket.socket) -> bytes:
    received = b""
    with suppress(ConnectionResetError):
        while more := connection.recv(65_536):
            received += more
    return received


def answer(asgi_server: AsgiServer, request: bytes) -> bytes:
    with dial(asgi_server) as connection:
        connection.sendall(request)
        return read_until(connection, b"\r\n\r\n")


def status(head: bytes) -> int:
    return int(head.split(b" ", 2)[1])


@pytest.mark.parametrize("protocol", ["", "chess"])
@pytest.mark.parametrize("origin", ["", "null", "https://elsewhere.example", "http://[::1]:8000"])
def test_handshake_in_pieces_is_accepted_without_compression_or_subprotocol(
    asgi_server: AsgiServer, origin: str, protocol: str
) -> None:
    with dial(asgi_server) as connection:
        whole = head(Origin=origin, Sec_WebSocket_Protocol=protocol)
        for start in range(0, len(whole), 40):
            connection.sendall(whole[start : start + 40])
            time.sleep(0.002)
        accepted = read_until(connection, b"\r\n\r\n")
        assert status(accepted) == 101
        assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in accepted
        assert not re.search(b"deflate|chess", accepted)
        connection.sendall(HELLO)
        assert read_until(connection, ANSWER) == ANSWER


@pytest.mark.parametrize(
    ("usual", "unusual"),
    [
        *((b"Version: 13", b"Version: %d" % version) for version in (8, 8000)),
        *((KEY.encode(), key) for key in (b"", b"short")),
        (b"Host: here", f"Host: here\r\nSec-WebSocket-Key: {KEY}".encode()),
        (b"Host: here", b"Host: here\r\nContent-Length: 4"),
        (b"Host: here", b"Host: here\r\nTransfer-Encoding: chunked"),
        *((b"Host: here\r\n", line) for line in (b"", b"Host: here:there\r\n", b"Host: [here\r\n")),
        (b"Host: here\r\n", b"Host: here\r\n" * 2),
        *((b"Host: here", b"Host: here\r\nOrigin: " + origin) for origin in INVALID_ORIGINS),
        (b"keep-alive, Upgrade", b"keep-alive"),
        (b"GET /", b"POST /"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"/anywhere", b"http://here/anywhere"),
        (b"/anywhere", "/ä".encode()),
    ],
)
def test_invalid_handshake_is_rejected(asgi_server: AsgiServer, usual: bytes, unusual: bytes) -> None:
    assert status(answer(asgi_server, head().replace(usual, unusual))) in {400, 426}
    assert status(answer(asgi_server, head())) == 101


def test_pipelined_requests_are_not_mixed_up(asgi_server: AsgiServer) -> None:
    request = b"GET /first HTTP/1.1\r\nX: y\r\n\r\n" + head()
    assert status(answer(asgi_server, request)) in {204, 400}


def test_endless_request_head_is_rejected(asgi_server: AsgiServer) -> None:
    with dial(asgi_server) as connection:
        connection.sendall(head()[:-2])
        try:
            for _ in range(1_000):
                connection.sendall(b"X: " + b"y" * 1_000 + b"\r\n")
                time.sleep(0.001)
            assert 400 <= status(read_until(connection, b"\r\n\r\n")) < 500
        except OSError:  # the server may reset the connection before its response is read
            return


@pytest.mark.parametrize(
    ("proxies", "values", "client"),
    [
        (1, [CLIENT], CLIENT),
        (1, [SPOOFED, CLIENT], CLIENT),
        (1, [f"{SPOOFED},{CLIENT}:4711"], CLIENT),
        (1, [f"{SPOOFED}, [2606:2800::1]:4711"], "2606:2800::1"),
        (1, [f"{SPOOFED}, unknown"], LOOPBACK),
        (1, [], LOOPBACK),
        (2, [f"{SPOOFED}, {CLIENT}, 10.0.0.9"], CLIENT),
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
