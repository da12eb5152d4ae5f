"""Handshakes on the wire, usual and not: both servers answer each as the protocol demands."""

import socket
import time

import pytest

from crowdgame.serving.handshake import read_handshake
from deploy.laptop.network import LOOPBACK
from tests.crowdgame.serving.conftest import Shouter

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPTED = b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
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


def dial(shouter: Shouter) -> socket.socket:
    return socket.create_connection((LOOPBACK, shouter.port), timeout=5)


def read_until(line: socket.socket, wanted: bytes) -> bytes:
    received = b""
    while wanted not in received and (more := line.recv(65_536)):
        received += more
    return received


def test_it_is_accepted_without_compression(shouter: Shouter) -> None:
    with dial(shouter) as line:
        line.sendall(head())
        answer = read_until(line, b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101 ")
        assert ACCEPTED in answer
        assert b"deflate" not in answer


def test_it_may_come_in_pieces(shouter: Shouter) -> None:
    with dial(shouter) as line:
        whole = head()
        for start in range(0, len(whole), 40):
            line.sendall(whole[start : start + 40])
            time.sleep(0.002)
        read_until(line, b"\r\n\r\n")
        line.sendall(HELLO)
        assert read_until(line, ANSWER) == ANSWER


@pytest.mark.parametrize("origin", ["null", "https://elsewhere.example", "http://[::1]:8000"])
def test_any_origin_comes_as_far_as_the_application(shouter: Shouter, origin: str) -> None:
    with dial(shouter) as line:
        line.sendall(head(Origin=origin))
        assert read_until(line, b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_WebSocket_Version": "8000"},
        {"Sec_WebSocket_Key": ""},
        {"Sec_WebSocket_Key": "short"},
        {"X": f"y\r\nSec-WebSocket-Key: {KEY}"},
    ],
)
def test_what_is_no_handshake_is_refused(shouter: Shouter, headers: dict[str, str]) -> None:
    with dial(shouter) as line:
        line.sendall(head(**headers))
        assert read_until(line, b"\r\n\r\n").split(b" ", 2)[1] in {b"400", b"426"}
    with dial(shouter) as line:
        line.sendall(head())
        assert read_until(line, b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content_Length": "4"},
        {"Transfer_Encoding": "chunked"},
        {"Sec_WebSocket_Protocol": "chess"},
        {"Host": "here:there"},
        {"Host": "[here"},
        {"Origin": "http://[bad"},
        {"Origin": "http://here:there"},
        {"Origin": "elsewhere"},
    ],
)
def test_what_is_unusual_is_left_to_the_servers(headers: dict[str, str]) -> None:
    assert read_handshake(head(**headers) + b"rest") is None
    usual = read_handshake(head(Host="[::1]:8000", Origin="https://elsewhere.example:443") + b"rest")
    assert usual is not None
    assert usual[1] == b"rest"


def test_of_two_requests_at_once_each_is_its_own(shouter: Shouter) -> None:
    with dial(shouter) as line:
        line.sendall(b"GET /first HTTP/1.1\r\nX: y\r\n\r\n" + head())
        assert read_until(line, b"\r\n\r\n").split(b" ", 2)[1] in {b"204", b"400"}


def test_one_that_asks_for_a_subprotocol_is_accepted_without(shouter: Shouter) -> None:
    with dial(shouter) as line:
        line.sendall(head(Sec_WebSocket_Protocol="chess"))
        assert b"chess" not in read_until(line, b"\r\n\r\n")
        line.sendall(HELLO)
        assert read_until(line, ANSWER) == ANSWER


def test_http_is_answered_again_and_again(shouter: Shouter) -> None:
    with dial(shouter) as line:
        for _ in range(3):
            line.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            assert read_until(line, b"\r\n\r\n").startswith(b"HTTP/1.1 204 ")


def test_a_head_without_end_is_not_kept(shouter: Shouter) -> None:
    with dial(shouter) as line:
        line.sendall(head()[:-2])
        try:
            for _ in range(1_000):
                line.sendall(b"X: " + b"y" * 1_000 + b"\r\n")
                time.sleep(0.001)
        except OSError:
            return
        assert read_until(line, b"\r\n\r\n").split(b" ", 2)[1].startswith(b"4")
