import asyncio
import resource
import socket
import tempfile
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import pytest

from crowdgame.server.config import open_files
from crowdgame.server.serving.body_budget import REQUEST_BYTES, BodyBudget, Reservation
from crowdgame.server.serving.request_limits import (
    MAX_FORM_BYTES,
    MAX_HEAD_BYTES,
    MAX_UPLOAD_BYTES,
    BodyLimits,
    BodyRefused,
)
from crowdgame.server.serving.request_queue import RequestQueue
from tests.crowdgame.server.serving.conftest import AsgiServer
from tests.crowdgame.server.serving.test_handshake import dial, head, read_to_end, read_until
from tests.deploy.processes import wait_until
from tests.monitoring.probes import own_refusals

POST = b"POST /upload HTTP/1.1\r\nHost: here\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 65_536 + b"\r\n"


def sized(length: int, more: bytes = b"") -> bytes:
    return POST + b"Content-Length: %d\r\n%b\r\n" % (length, more)


GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
# Incomplete requests, and a byte that continues each of them.
UNFINISHED = [
    (b"", b""),
    (POST, b"X"),
    (head()[:-2], b"X"),
    (sized(MAX_UPLOAD_BYTES) + b"x" * 900_000, b"x"),
    (CHUNKED + CHUNK * 10 + CHUNK[:1_000], b"x"),
]
FLOOD, FLOOD_BOUND = 300, 64 * 1_048_576


def status(connection: socket.socket) -> bytes:
    return read_until(connection, b"\r\n\r\n").split(b" ", 2)[1]


ROUTES = {"page": GET, "handshake": head(), "unusual handshake": head(Sec_WebSocket_Protocol="chess")}


def padded(request: bytes, size: int, lines: int = 1) -> bytes:
    """The request with further header lines, so that its head has `size` bytes."""
    line = b"x: "
    missing = size - len(request) - lines * len(line + b"\r\n")
    values = [b"y" * (missing // lines)] * (lines - 1)
    values.append(b"y" * (missing - sum(map(len, values))))
    return request[:-2] + b"".join(line + value + b"\r\n" for value in values) + b"\r\n"


@pytest.mark.parametrize("lines", [1, 300])
@pytest.mark.parametrize("route", ROUTES)
def test_request_head_up_to_limit_is_answered(asgi_server: AsgiServer, route: str, lines: int) -> None:
    with dial(asgi_server) as connection:
        connection.sendall(padded(ROUTES[route], MAX_HEAD_BYTES, lines))
        assert status(connection) == (b"204" if route == "page" else b"101")


@pytest.mark.parametrize("size", [MAX_HEAD_BYTES + 1, 3 * MAX_HEAD_BYTES])
@pytest.mark.parametrize("before", [b"", GET], ids=["first", "second request"])
@pytest.mark.parametrize("route", ROUTES)
def test_large_request_head_is_refused(asgi_server: AsgiServer, route: str, before: bytes, size: int) -> None:
    with dial(asgi_server) as connection:
        if before:
            connection.sendall(before)
            assert status(connection) == b"204"
        connection.sendall(padded(ROUTES[route], size))
        assert status(connection) == b"431"
        assert connection.recv(65_536) in {b"", b"The headers of the request are too large.\n"}


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(sized(400_000_000), id="huge"),
        pytest.param(sized(400_000_000, b"Expect: 100-continue\r\n"), id="expect"),
        pytest.param(CHUNKED + CHUNK * 17, id="chunks"),
        pytest.param(CHUNKED + b"%x\r\n" % 400_000_000 + b"x" * (MAX_UPLOAD_BYTES + 100_000), id="one chunk"),
    ],
)
def test_request_body_over_limit_is_refused(asgi_server: AsgiServer, request_bytes: bytes) -> None:
    with dial(asgi_server) as connection:
        with suppress(OSError):  # the server may close before the last byte
            connection.sendall(request_bytes)
        assert status(connection) == b"413"


@pytest.mark.parametrize(
    ("path", "size", "expected"),
    [
        ("/form", MAX_FORM_BYTES, b"200"),
        ("/form", MAX_FORM_BYTES + 1, b"413"),
        ("/upload?0", MAX_UPLOAD_BYTES, b"200"),
        ("/upload", MAX_UPLOAD_BYTES + 1, b"413"),
        ("/form?/upload", MAX_FORM_BYTES + 1, b"413"),
        ("/upload/form", MAX_FORM_BYTES + 1, b"413"),
    ],
)
def test_only_uploads_may_be_large(asgi_server: AsgiServer, path: str, size: int, expected: bytes) -> None:
    with dial(asgi_server) as connection:
        connection.sendall(sized(size).replace(b"/upload", path.encode()))
        with suppress(OSError):
            connection.sendall(b"x" * size)
        assert status(connection) == expected


def test_request_body_in_chunks_is_read(asgi_server: AsgiServer) -> None:
    with dial(asgi_server) as connection:
        connection.sendall(CHUNKED + CHUNK * 15 + b"0\r\n\r\n")
        assert read_until(connection, b"983040").startswith(b"HTTP/1.1 200 ")


@pytest.mark.nightly
@pytest.mark.parametrize("before", [b"", GET], ids=["first", "second request"])
def test_unfinished_requests_time_out_and_leave_no_file(asgi_server: AsgiServer, before: bytes) -> None:
    """Although each sends a byte from time to time."""
    files = temporary_files(asgi_server.process.pid)  # its output
    with ExitStack() as closing:
        unfinished = []
        for data, byte in UNFINISHED:
            connection = closing.enter_context(dial(asgi_server))
            connection.sendall(before)
            assert not before or status(connection) == b"204"
            connection.sendall(data)
            unfinished.append((connection, byte))
        assert is_served(asgi_server)
        assert temporary_files(asgi_server.process.pid) == files
        wait_until(lambda: True not in [is_open_after(byte, connection) for connection, byte in unfinished])


def is_open_after(byte: bytes, connection: socket.socket) -> bool:
    connection.settimeout(0.05)
    try:
        connection.send(byte)
        received = connection.recv(1)
    except TimeoutError:
        return True
    except OSError:
        return False
    assert not received, "the server responded to an unfinished request"
    return False


def temporary_files(process_id: int) -> list[str]:
    targets = []
    for path in Path(f"/proc/{process_id}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            targets.append(str(path.readlink()))
    return [target for target in targets if target.startswith(tempfile.gettempdir())]


def test_invalid_frame_with_handshake_closes_connection(fresh_server: AsgiServer) -> None:
    with dial(fresh_server) as connection:
        connection.sendall(head() + b"\xff\x80\0\0\0\0")
        read_to_end(connection)
    fresh_server.process.terminate()
    assert fresh_server.process.stderr is not None
    assert "Traceback" not in fresh_server.process.stderr.read()


@pytest.mark.nightly
def test_server_aborts_connections_before_files_run_out(fresh_server: AsgiServer) -> None:
    """Even if clients leave refused sockets open."""
    limit = open_files.ABORT_RESERVE + 60
    fresh_server.process.rlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with ExitStack() as closing:
        for _ in range(2 * limit):
            with suppress(ConnectionResetError):  # the server may abort before `dial` returns
                closing.enter_context(dial(fresh_server))
        wait_until(lambda: fresh_server.process.num_fds() <= limit - open_files.ABORT_RESERVE)
    wait_until(lambda: fresh_server.process.num_fds() < 40)
    wait_until(lambda: is_served(fresh_server))


def is_served(server: AsgiServer) -> bool:
    """Whether the server responds. It aborts connections until it has accepted all that clients closed."""
    try:
        with dial(server) as connection:
            connection.sendall(GET)
            return status(connection) == b"204"
    except (ConnectionResetError, IndexError):
        return False


def test_oldest_body_of_the_network_with_most_gives_way_but_no_complete_one() -> None:
    """Two bodies fit for each network, four in all."""
    budget, aborted = BodyBudget(4 * REQUEST_BYTES, 2 * REQUEST_BYTES), list[str]()

    def reserve(name: str, network: int) -> Reservation:
        reserved = budget.reserve(f"192.0.{network}.1", 0, lambda: aborted.append(name))
        assert reserved
        return reserved

    _, _, c = reserve("a", 1), reserve("b", 1), reserve("c", 1)
    assert aborted == ["a"]
    d, e, _ = reserve("d", 2), reserve("e", 3), reserve("f", 4)
    assert aborted == ["a", "b"]
    for complete in (c, d, e):
        complete.finish()
    reserve("g", 1)
    assert aborted == ["a", "b", "f"]
    for _ in range(2):
        d.release()  # returns its memory once
    reserve("h", 5)
    assert aborted == ["a", "b", "f"]
    reserve("i", 6)
    assert aborted == ["a", "b", "f", "g"]


def test_body_of_unknown_length_takes_the_memory_of_the_largest_and_one_without_room_is_refused() -> None:
    limits = BodyLimits(budget=BodyBudget(network_bytes=MAX_FORM_BYTES + REQUEST_BYTES))
    limits.admit(b"/form", MAX_FORM_BYTES, "192.0.2.1", [], list)
    assert limits.admit(b"/form", None, "198.51.100.1", [], list).size == MAX_FORM_BYTES + REQUEST_BYTES
    with pytest.raises(BodyRefused) as refused:
        limits.admit(b"/form", MAX_FORM_BYTES + 1, "203.0.113.1", [], list)
    assert refused.value.response.startswith(b"HTTP/1.1 413")
    limits, before = BodyLimits(budget=BodyBudget(network_bytes=2 * REQUEST_BYTES)), own_refusals("upload")
    limits.admit(b"/form", 1, "192.0.2.1", [], list).finish()
    with pytest.raises(BodyRefused) as refused:
        limits.admit(b"/form", REQUEST_BYTES, "192.0.2.1", [], list)
    assert refused.value.response.startswith(b"HTTP/1.1 503")
    assert own_refusals("upload") == before + 1


@pytest.mark.nightly
def test_unfinished_bodies_take_bounded_memory_and_refuse_nobody(fresh_server: AsgiServer) -> None:
    """Most connections are closed, the oldest first. Complete uploads are served meanwhile."""
    before = fresh_server.resident()
    unfinished = MAX_UPLOAD_BYTES - 1_024
    with ExitStack() as closing:
        for number in range(FLOOD):
            connection = closing.enter_context(dial(fresh_server))
            with suppress(OSError):
                connection.sendall(sized(MAX_UPLOAD_BYTES) + b"x" * unfinished)
            if number % 50 == 0:
                with dial(fresh_server) as visitor:
                    visitor.sendall(sized(MAX_UPLOAD_BYTES) + b"x" * MAX_UPLOAD_BYTES)
                    assert status(visitor) == b"200"
        assert fresh_server.process.num_fds() < FLOOD / 2
        assert fresh_server.resident() - before < FLOOD_BOUND


@pytest.mark.nightly
def test_pipelined_bodies_return_their_memory(asgi_server: AsgiServer) -> None:
    """So does a handshake with a body. Together they exceed the memory for bodies several times."""
    upload = sized(MAX_UPLOAD_BYTES - 1) + b"x" * (MAX_UPLOAD_BYTES - 1)
    for _ in range(10):
        with dial(asgi_server) as connection:
            connection.sendall(upload * 3)
            received = b""
            while received.count(b"1048575") < 3:
                received += read_until(connection, b"1048575")
        with dial(asgi_server) as connection:
            connection.sendall(head(Content_Length=str(MAX_FORM_BYTES)) + b"x" * MAX_FORM_BYTES)
            read_until(connection, b"\r\n\r\n")


async def test_request_queue_starts_few_requests_in_each_iteration() -> None:
    """All in the order in which they came, also those that come while others wait."""
    queue, started = RequestQueue(), list[int]()
    for number in range(100):
        queue.add(partial(started.append, number))
    while len(started) < 150:
        before = len(started)
        await asyncio.sleep(0)
        assert len(started) <= before + 2
        if before < 50 <= len(started):
            for number in range(100, 150):
                queue.add(partial(started.append, number))
    assert started == list(range(150))


async def test_request_queue_continues_after_failure() -> None:
    queue, started = RequestQueue(), list[int]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    for number in (0, 1):
        queue.add(partial([].pop))
        queue.add(partial(started.append, number))
    for _ in range(10):
        await asyncio.sleep(0)
    assert started == [0, 1]
