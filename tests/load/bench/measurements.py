"""Votes and pages per second, and how long a broadcast takes.

Votes are a closed loop over all connections, with at most one vote in flight each. With thousands of
connections, none comes near the limit of five frames a second.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tests.load.bench.connection import Connection, Contender
from tests.load.bench.machine import Stopwatch

IN_FLIGHT = 512  # per server: two servers have twice the phones
LONGEST_S = 20.0
ROUNDS_OF_ALL = 4
SETTLE_S = 0.3


class Rate(NamedTuple):
    """One round: CPU seconds of servers, dependencies (`dependencies_s`) and load generator (`own_s`)."""

    answered: int
    wall_s: float
    cpu_s: float
    own_s: float
    dependencies_s: float = 0.0

    @property
    def per_second(self) -> float:
        return self.answered / self.wall_s

    @property
    def per_cpu_second(self) -> float:
        return self.answered / self.cpu_s

    @property
    def us_per_ballot(self) -> float:
        """CPU microseconds of the servers and their dependencies."""
        return (self.cpu_s + self.dependencies_s) / self.answered * 1e6

    @property
    def server_share(self) -> float:
        """The servers' share of a core; below 1 while other processes use it."""
        return self.cpu_s / self.wall_s

    @property
    def load_share(self) -> float:
        """The load generator's share of its core; near 1 it limits the result."""
        return self.own_s / self.wall_s


class ClosedLoop:
    def __init__(self, contender: Contender) -> None:
        self.answered = 0
        self._contender = contender
        self._free = deque(contender.connections)
        self._in_flight = 0
        self._running = True
        self._drained = asyncio.Event()
        self._enough = asyncio.Event()
        self._enough_at = 0
        contender.on_frame = self._handle_frame

    def start(self) -> None:
        for _ in range(min(IN_FLIGHT * len(self._contender.servers), len(self._free))):
            self._send()

    async def run_for(self, seconds: float, answers: int) -> None:
        """Run this long, and until this many more answers, since a busy machine may be slow."""
        self._enough_at = self.answered + answers
        self._enough.clear()
        await asyncio.sleep(seconds)
        async with asyncio.timeout(LONGEST_S):
            await self._enough.wait()

    async def stop(self) -> None:
        """A server that closes connections under load has no valid rate."""
        self._running = False
        ended = sum(connection.closed.done() for connection in self._contender.connections)
        of = f"{len(self._contender.connections)} connections"
        assert not ended, f"{self._contender.name} ended {ended} of {of}"
        async with asyncio.timeout(10.0):
            await self._drained.wait()

    def _send(self) -> None:
        connection = self._free.popleft()
        self._in_flight += 1
        connection.say(self._contender.vote(connection))

    def _handle_frame(self, connection: Connection, text: bytes) -> None:
        if not self._contender.is_answer(text):
            return
        self.answered += 1
        if self.answered == self._enough_at:
            self._enough.set()
        self._in_flight -= 1
        self._free.append(connection)
        if self._running:
            self._send()
        elif not self._in_flight:
            self._drained.set()


async def measure_rate(contender: Contender, seconds: float) -> Rate:
    loop = ClosedLoop(contender)
    loop.start()
    await loop.run_for(0.3, IN_FLIGHT)
    watch, before = Stopwatch((*contender.servers, *contender.dependencies)), loop.answered
    await loop.run_for(seconds, ROUNDS_OF_ALL * IN_FLIGHT)
    rate = Rate(
        loop.answered - before,
        watch.wall_s,
        watch.cpu_s(contender.servers),
        watch.own_s,
        watch.cpu_s(contender.dependencies),
    )
    await loop.stop()
    return rate


async def measure_pages(contender: Contender, path: str, seconds: float) -> Rate:
    watch = Stopwatch(contender.servers)
    until, port = time.perf_counter() + seconds, contender.port
    counts = await asyncio.gather(*(_ask_until(until, port, path) for _ in range(16)))
    return Rate(sum(counts), watch.wall_s, watch.cpu_s(), watch.own_s)


async def _ask_until(until: float, port: int, path: str) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept-Encoding: gzip\r\n\r\n".encode()
    answered = 0
    while time.perf_counter() < until:
        writer.write(request)
        await _read_answer(reader)
        answered += 1
    writer.close()
    return answered


async def _read_answer(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise ConnectionError(head.decode(errors="replace")[:100])
    _, _, length = head.partition(b"content-length:")
    await reader.readexactly(int(length.split(b"\r\n", 1)[0]))


class Fanout(NamedTuple):
    """One round: milliseconds until the last connection received it, and of server CPU."""

    wall_ms: float
    cpu_ms: float


async def measure_fanout(
    contender: Contender, send_action: Callable[[], None], starts: bytes
) -> tuple[Fanout, bytes]:
    """The time until the last connection has received a broadcast, and its frame, which `starts` so."""
    missing, frames, all_received = set(contender.connections), list[bytes](), asyncio.Event()

    def receive(connection: Connection, text: bytes) -> None:
        if text.startswith(starts):
            frames.append(text)
            missing.discard(connection)
            if not missing:
                all_received.set()

    contender.on_frame = receive
    watch = Stopwatch(contender.servers)
    send_action()
    async with asyncio.timeout(60.0):
        await all_received.wait()
    wall = watch.wall_s
    await asyncio.sleep(SETTLE_S)
    return Fanout(wall * 1000, watch.cpu_s() * 1000), frames[0]
