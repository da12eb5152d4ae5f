import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from crowdgame.server.serving.frames import BINARY, CLOSE, TEXT
from tests.crowdgame.server.serving.conftest import AsgiServer
from tests.crowdgame.server.serving.test_conformance import frame
from tests.crowdgame.server.serving.test_handshake import dial, head, read_until
from tests.deploy.processes import wait_until
from tests.socket_queues import wait_until_read
from voting.gateway.text_frames import read_short_text

TIMEOUT_S = 20


@contextmanager
def attached(asgi_server: AsgiServer) -> Iterator[socket.socket]:
    with dial(asgi_server) as connection:
        connection.sendall(head())
        read_until(connection, b"\r\n\r\n")
        connection.sendall(frame(TEXT, b"attach"))
        read_until(connection, b"attach")
        yield connection


def read_answers(connection: socket.socket, *expected: bytes) -> None:
    received = b""
    wanted = b"".join(bytes((0x81, len(text))) + text for text in expected)
    while len(received) < len(wanted):
        received += connection.recv(65_536)
    assert received == wanted


def test_messages_stay_in_order_alone_and_together(asgi_server: AsgiServer) -> None:
    with attached(asgi_server) as connection:
        texts = [b"first", b"now a", "é".encode(), b"now b", b"later", b"now c"]
        for text in texts:
            connection.sendall(frame(TEXT, text))
        read_answers(connection, *(text.decode().upper().encode() for text in texts))
        kinds = {b"one": TEXT, b"now two": TEXT, b"": BINARY, b"three": TEXT}
        connection.sendall(b"".join(frame(kind, text) for text, kind in kinds.items()))
        read_answers(connection, b"ONE", b"NOW TWO", b"BINARY", b"THREE")
        connection.sendall(frame(TEXT, b"now four"))
        read_answers(connection, b"NOW FOUR")


def test_messages_sent_before_the_handler_is_attached_reach_it(asgi_server: AsgiServer) -> None:
    with dial(asgi_server) as connection:
        connection.sendall(head() + frame(TEXT, b"attach") + frame(TEXT, b"two") + frame(TEXT, b"now three"))
        read_until(connection, b"attach")
        read_answers(connection, b"TWO", b"NOW THREE")


def test_rest_of_a_frame_is_not_taken_for_a_frame(asgi_server: AsgiServer) -> None:
    """After the two bytes of the header, the rest looks like a frame two bytes shorter."""
    text = b"now, a text"
    rest = frame(TEXT, text, mask=bytes((0x81, 0x80 | len(text) - 2, 1, 2)))[2:]
    assert read_short_text(rest) is not None
    with attached(asgi_server) as connection:
        connection.sendall(frame(TEXT, text)[:2])
        wait_until_read(connection)
        connection.sendall(rest)
        read_answers(connection, b"NOW, A TEXT")


@pytest.mark.parametrize("last", ["now", "crash", "later"])
def test_handler_gets_all_messages_and_learns_once_that_its_client_is_gone(
    asgi_server: AsgiServer, last: str
) -> None:
    """Also those that wait for an earlier one while the client disconnects, but none after a failure."""

    def look() -> tuple[int, str]:
        with asgi_server.open() as other:
            other.send("disconnected")
            times, text = str(other.recv(timeout=TIMEOUT_S)).split(" ", 1)
            return int(times), text

    before, _ = look()
    with attached(asgi_server) as connection:
        texts = (last.encode(), b"now, after it")
        connection.sendall(b"".join(frame(TEXT, text) for text in texts) + frame(CLOSE, b"\x03\xe8"))
        wait_until(lambda: look()[0] > before)
    assert look() == (before + 1, repr(texts[0 if last == "crash" else 1]))
