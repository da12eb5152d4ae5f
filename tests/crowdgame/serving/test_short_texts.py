"""Short texts on both servers: a registered reader gets those that arrive alone."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.crowdgame.serving.conftest import AsgiServer
from tests.crowdgame.serving.test_handshake import dial, head, read_until
from tests.socket_queues import wait_until_read
from voting.gateway.send_queue import read_short_text

TIMEOUT_S = 20


def masked(text: bytes, mask: bytes = b"mask", first: int = 0x81) -> bytes:
    payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(text))
    return bytes((first, 0x80 | len(text))) + mask + payload


@contextmanager
def registered(asgi_server: AsgiServer) -> Iterator[socket.socket]:
    """A connection whose application has registered its reader."""
    with dial(asgi_server) as connection:
        connection.sendall(head())
        read_until(connection, b"\r\n\r\n")
        connection.sendall(masked(b"register"))
        read_until(connection, b"register")
        yield connection


def answers(connection: socket.socket, *expected: bytes) -> bool:
    received = b""
    wanted = b"".join(bytes((0x81, len(text))) + text for text in expected)
    while len(received) < len(wanted):
        received += connection.recv(65_536)
    return received == wanted


def test_reader_gets_texts_and_application_those_it_refuses(asgi_server: AsgiServer) -> None:
    with asgi_server.open() as connection:
        texts = ["now too early", "register", "now a", "é", "now b", "x" * 126, "now" + "c" * 122]
        for text in texts:
            connection.send(text)
            expected = text.upper() if text.startswith("now") and "early" not in text else text
            assert connection.recv(timeout=TIMEOUT_S) == expected


def test_frames_that_arrive_together_stay_in_order(asgi_server: AsgiServer) -> None:
    with registered(asgi_server) as connection:
        connection.sendall(masked(b"one") + masked(b"now two") + masked(b"three"))
        assert answers(connection, b"one", b"now two", b"three")
        connection.sendall(masked(b"now four"))
        assert answers(connection, b"NOW FOUR")


@pytest.mark.parametrize("cut", [1, 2, 4, 6, 8])
def test_frame_in_two_pieces_is_read_once(asgi_server: AsgiServer, cut: int) -> None:
    with registered(asgi_server) as connection:
        frame = masked(b"now x")
        connection.sendall(frame[:cut])
        wait_until_read(connection)
        connection.sendall(frame[cut:])
        assert answers(connection, b"now x")


def test_rest_of_a_frame_is_not_taken_for_a_frame(asgi_server: AsgiServer) -> None:
    """After the two bytes of the header, the rest looks like a frame two bytes shorter."""
    text = b"now, a text"
    rest = masked(text, mask=bytes((0x81, 0x80 | len(text) - 2, 1, 2)))[2:]
    assert read_short_text(rest) is not None
    with registered(asgi_server) as connection:
        connection.sendall(masked(text)[:2])
        wait_until_read(connection)
        connection.sendall(rest)
        assert answers(connection, text)


def test_fragments_and_control_frames_take_the_usual_path(asgi_server: AsgiServer) -> None:
    with registered(asgi_server) as connection:
        connection.sendall(masked(b"now ", first=0x01))
        wait_until_read(connection)
        connection.sendall(masked(b"", first=0x89))
        assert connection.recv(2) == b"\x8a\x00"
        connection.sendall(masked(b"x", first=0x80))
        assert answers(connection, b"now x")


@pytest.mark.parametrize("frames", [(masked(b"now ", first=0x01), masked(b"now x")), (masked(b"\xff"),)])
def test_invalid_text_ends_the_connection(asgi_server: AsgiServer, frames: tuple[bytes, ...]) -> None:
    """A text within a fragmented message, and a text that isn't UTF-8."""
    with registered(asgi_server) as connection:
        for frame in frames:
            wait_until_read(connection)
            connection.sendall(frame)
        try:
            received = read_until(connection, b"never sent")
        except ConnectionResetError:
            return
        assert b"NOW" not in received
