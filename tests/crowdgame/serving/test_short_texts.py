"""Short texts on both servers: a registered reader gets those that arrive alone."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from crowdgame.serving.frames import TEXT
from tests.crowdgame.serving.conftest import AsgiServer
from tests.crowdgame.serving.test_conformance import frame
from tests.crowdgame.serving.test_handshake import dial, head, read_until
from tests.socket_queues import wait_until_read
from voting.gateway.send_queue import read_short_text

TIMEOUT_S = 20


@contextmanager
def registered(asgi_server: AsgiServer) -> Iterator[socket.socket]:
    """A connection whose application has registered its reader."""
    with dial(asgi_server) as connection:
        connection.sendall(head())
        read_until(connection, b"\r\n\r\n")
        connection.sendall(frame(TEXT, b"register"))
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
        connection.sendall(frame(TEXT, b"one") + frame(TEXT, b"now two") + frame(TEXT, b"three"))
        assert answers(connection, b"one", b"now two", b"three")
        connection.sendall(frame(TEXT, b"now four"))
        assert answers(connection, b"NOW FOUR")


def test_rest_of_a_frame_is_not_taken_for_a_frame(asgi_server: AsgiServer) -> None:
    """After the two bytes of the header, the rest looks like a frame two bytes shorter."""
    text = b"now, a text"
    rest = frame(TEXT, text, mask=bytes((0x81, 0x80 | len(text) - 2, 1, 2)))[2:]
    assert read_short_text(rest) is not None
    with registered(asgi_server) as connection:
        connection.sendall(frame(TEXT, text)[:2])
        wait_until_read(connection)
        connection.sendall(rest)
        assert answers(connection, text)
