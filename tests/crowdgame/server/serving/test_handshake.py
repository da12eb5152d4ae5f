"""WebSocket handshakes on the wire, valid and invalid: both servers follow the protocol."""

import socket
import time

import pytest

from crowdgame.server.laptop.network import LOOPBACK
from tests.crowdgame.server.serving.conftest import AsgiServer

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


def answer(asgi_server: AsgiServer, request: bytes) -> bytes:
    """The head of the answer to this request on a new connection."""
    with dial(asgi_server) as connection:
        connection.sendall(request)
        return read_until(connection, b"\r\n\r\n")


def status(head: bytes) -> int:
    return int(head.split(b" ", 2)[1])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_WebSocket_Protocol": "chess"},
        {"Origin": "null"},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "http://[::1]:8000"},
    ],
)
def test_handshake_is_accepted_without_compression_or_subprotocol(
    asgi_server: AsgiServer, headers: dict[str, str]
) -> None:
    accepted = answer(asgi_server, head(**headers))
    assert status(accepted) == 101
    assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in accepted
    assert (b"deflate" in accepted, b"chess" in accepted) == (False, False)


@pytest.mark.parametrize("headers", [{}, {"Sec_WebSocket_Protocol": "chess"}])
def test_handshake_may_arrive_in_pieces(asgi_server: AsgiServer, headers: dict[str, str]) -> None:
    with dial(asgi_server) as connection:
        whole = head(**headers)
        for start in range(0, len(whole), 40):
            connection.sendall(whole[start : start + 40])
            time.sleep(0.002)
        read_until(connection, b"\r\n\r\n")
        connection.sendall(HELLO)
        assert read_until(connection, ANSWER) == ANSWER


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_WebSocket_Version": "8000"},
        {"Sec_WebSocket_Key": ""},
        {"Sec_WebSocket_Key": "short"},
        {"X": f"y\r\nSec-WebSocket-Key: {KEY}"},
        {"Content_Length": "4"},
        {"Transfer_Encoding": "chunked"},
        {"Host": "here:there"},
        {"Host": "[here"},
        {"Origin": "http://[bad"},
        {"Origin": "http://here:there"},
        {"Origin": "elsewhere"},
        {"Connection": "keep-alive"},
    ],
)
def test_invalid_handshake_is_rejected(asgi_server: AsgiServer, headers: dict[str, str]) -> None:
    assert status(answer(asgi_server, head(**headers))) in {400, 426}
    assert status(answer(asgi_server, head())) == 101


@pytest.mark.parametrize(
    ("usual", "unusual"),
    [
        (b"GET /", b"POST /"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"/anywhere", b"http://here/anywhere"),
        (b"/anywhere", "/ä".encode()),
        (b"Host: here\r\n", b""),
        (b"Host: here\r\n", b"Host: here\r\n" * 2),
        (b"Version: 13", b"Version: 8"),
    ],
)
def test_invalid_request_is_no_handshake(asgi_server: AsgiServer, usual: bytes, unusual: bytes) -> None:
    assert status(answer(asgi_server, head().replace(usual, unusual))) in {400, 426}


def test_kept_alive_connection_becomes_a_websocket(asgi_server: AsgiServer) -> None:
    """As behind a reverse proxy, which reuses its connections."""
    with dial(asgi_server) as connection:
        for _ in range(2):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert status(read_until(connection, b"\r\n\r\n")) == 204
        connection.sendall(head() + HELLO)
        assert read_until(connection, ANSWER).endswith(ANSWER)


def test_pipelined_requests_are_not_mixed_up(asgi_server: AsgiServer) -> None:
    request = b"GET /first HTTP/1.1\r\nX: y\r\n\r\n" + head()
    assert status(answer(asgi_server, request)) in {204, 400}


def test_http_connection_serves_several_requests(asgi_server: AsgiServer) -> None:
    with dial(asgi_server) as connection:
        for _ in range(3):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert status(read_until(connection, b"\r\n\r\n")) == 204


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
