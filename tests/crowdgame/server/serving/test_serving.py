import asyncio
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crowdgame.server.laptop.network import LOOPBACK, listen
from crowdgame.server.serving.event_loop import new_event_loop
from crowdgame.server.serving.frames import BINARY, CLOSE, TEXT
from tests.crowdgame.server.serving.asgi_app import FRAME
from tests.crowdgame.server.serving.conftest import AsgiServer, run_asgi_server
from tests.crowdgame.server.serving.test_conformance import frame
from tests.crowdgame.server.serving.test_handshake import dial, head, read_until
from tests.deploy.processes import handles_sigterm, wait_until
from tests.server import ASGI_SERVERS_TESTED
from voting.gateway.text_frames import read_short_text
from voting.protocol import CloseCode

TCP_SOCKETS = Path("/proc/net/tcp")  # and the bytes that wait in them
TIMEOUT_S = 20
FLOOD = 1_000  # a hundred megabytes
CHUNKS = 200  # twenty megabytes
BOUND = 24_000_000
QUEUE_LENGTH = slice(28, 32)  # tcpi_sacked in struct tcp_info: the limit of a listening socket


def test_event_loop_is_that_of_asyncio_without_uvloop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_event_loop()
    loop.close()
    assert isinstance(loop, asyncio.BaseEventLoop)


@pytest.mark.nightly
def test_slow_readers_of_streams_bound_memory_and_refuse_nobody(fresh_server: AsgiServer) -> None:
    get = f"GET /?{CHUNKS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    def request_stream() -> socket.socket:
        connection = dial(fresh_server)
        connection.sendall(get.encode())
        return connection

    def read_stream(connection: socket.socket) -> int:
        with connection, connection.makefile("rb") as read:
            return read.read().count(FRAME.encode())

    assert read_stream(request_stream()) == CHUNKS
    before = fresh_server.resident()
    slow = [request_stream() for _ in range(20)]
    assert read_stream(request_stream()) == CHUNKS
    assert fresh_server.resident() - before < BOUND
    assert read_stream(slow.pop()) == CHUNKS
    held = fresh_server.process.num_fds()
    wait_until(lambda: fresh_server.process.num_fds() <= held - len(slow))  # they were disconnected


@pytest.mark.parametrize("ending", ["abort", "close frame"])
def test_slow_consumer_that_ends_frees_descriptor(fresh_server: AsgiServer, ending: str) -> None:
    with fresh_server.open() as slow:
        held = fresh_server.process.num_fds()
        slow.send(f"flood {FLOOD}")
        time.sleep(0.3)
        if ending == "abort":
            slow.socket.close()
        else:
            slow.socket.sendall(b"\x88\x82\0\0\0\0\x03\xe8")
        wait_until(lambda: fresh_server.process.num_fds() < held)


def test_send_after_oversized_frame_fails_like_a_disconnect(fresh_server: AsgiServer) -> None:
    with dial(fresh_server) as connection, fresh_server.open() as other:
        connection.sendall(head() + b"\x81\x83\0\0\0\0nag")
        read_until(connection, b"well?")
        connection.sendall(b"\x81\xfe\x0f\xa0\0\0\0\0" + b"x" * 4_000)  # and leave the close frame unanswered
        read_until(connection, CloseCode.FRAME_TOO_LARGE.to_bytes(2, "big"))

        def send_has_failed() -> bool:
            other.send("nagged")
            return other.recv(timeout=TIMEOUT_S) == "True"

        wait_until(send_has_failed)


@pytest.mark.parametrize("server_name", ASGI_SERVERS_TESTED)
def test_sigterm_drains_server_and_refuses_new_connections(server_name: str, tmp_path: Path) -> None:
    running = run_asgi_server(server_name, tmp_path / "note", drain_s=3)
    with running as asgi_server, asgi_server.open() as connection:
        asgi_server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: refuses(asgi_server.port))
        connection.send("still here")
        assert connection.recv(timeout=TIMEOUT_S) == "still here"
        assert asgi_server.process.wait(TIMEOUT_S) == 0
        assert asgi_server.note.read_text() == "drained"


@pytest.mark.parametrize("server_name", ASGI_SERVERS_TESTED)
def test_second_sigterm_ends_server_at_once(server_name: str, tmp_path: Path) -> None:
    with run_asgi_server(server_name, tmp_path / "note", drain_s=10 * TIMEOUT_S) as asgi_server:
        asgi_server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not handles_sigterm(asgi_server.process.pid))
        asgi_server.process.send_signal(signal.SIGTERM)
        assert asgi_server.process.wait(TIMEOUT_S) == -signal.SIGTERM
        assert not asgi_server.note.exists()


def refuses(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=TIMEOUT_S).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: it closes at this moment
        return True
    return False


def test_accept_queue_is_as_long_as_the_kernel_allows(asgi_server: AsgiServer) -> None:
    """A shorter one refuses phones that reconnect together. They try again after 1, 3 and 7 seconds."""
    longest = int(Path("/proc/sys/net/core/somaxconn").read_text())
    with listen(LOOPBACK, 0, shared=False) as supervised:
        for listener in (asgi_server.listener, supervised):
            info = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
            assert int.from_bytes(info[QUEUE_LENGTH], sys.byteorder) == min(65_535, longest)


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
def test_handler_gets_all_messages_and_one_disconnect(asgi_server: AsgiServer, last: str) -> None:
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


def wait_until_read(connection: socket.socket) -> None:
    """Wait until the server has read what was sent, so that it does not read the next bytes with it."""
    own, servers = (name[1] for name in (connection.getsockname(), connection.getpeername()))
    wait_until(lambda: queued_bytes(own, servers)[0] == queued_bytes(servers, own)[1] == 0)


def queued_bytes(port: int, peer: int) -> tuple[int, int]:
    """The bytes that wait at this end of a connection, to be sent and to be read; none once it is closed."""
    ends = f":{port:04X}", f":{peer:04X}"
    for _, local, remote, _, queues, *_ in map(str.split, TCP_SOCKETS.read_text().splitlines()[1:]):
        if local.endswith(ends[0]) and remote.endswith(ends[1]):
            to_send, to_read = queues.split(":")
            return int(to_send, 16), int(to_read, 16)
    return 0, 0
