"""A TCP proxy with switchable impairments; it runs in its own thread."""

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Self

from deploy.laptop.network import LOOPBACK

CHUNK = 65_536
RESET = struct.pack("ii", 1, 0)


@dataclass(slots=True)
class Impairment:
    """What happens to data in both directions; nothing by default.

    `delay_s` plus up to `jitter_s` for each chunk; at most `rate` bytes a second; `black_hole`: data is
    received and dropped; `cut_after`: a connection is reset after this many bytes; `lost_answer`: the next
    request with these bytes is forwarded, but its connection is reset instead of answered.
    """

    delay_s: float = 0.0
    jitter_s: float = 0.0
    rate: float = 0.0
    black_hole: bool = False
    cut_after: int = 0
    lost_answer: bytes = b""


@dataclass(slots=True, eq=False)
class _Line:
    """One connection through the proxy. Once it has dropped data, it is unusable."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter
    passed: int = 0
    swallowed: bool = False
    answer_lost: bool = False
    half_closed: bool = False

    def reset(self) -> None:
        for writer in (self.near, self.far):
            own: socket.socket | None = writer.get_extra_info("socket")
            if own is not None and own.fileno() >= 0:
                with suppress(OSError):
                    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            writer.transport.abort()


@dataclass(slots=True)
class Proxy:
    """A context manager that proxies LOOPBACK:`to`. `losses` counts lost answers, `cuts` all resets."""

    to: int
    rng: Random = field(default_factory=lambda: Random(1))
    impairment: Impairment = field(default_factory=Impairment)
    port: int = 0
    losses: int = 0
    cuts: int = 0
    _lines: set[_Line] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread | None = None
    _server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        assert self._thread
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @contextmanager
    def impaired(self, impairment: Impairment) -> Iterator[None]:
        """Impair all connections for a while; those that dropped data are reset at the end."""
        self.impairment = impairment
        try:
            yield
        finally:
            self.impairment = Impairment()
            self._in_loop(self._reset_swallowed)

    def cut(self) -> None:
        """Reset every connection."""
        self._in_loop(self._reset_all)

    def half_close(self) -> None:
        """Half-close every connection towards its client, but still receive data."""
        self._in_loop(self._end_near_sides)

    def lines(self) -> int:
        return len(self._lines)

    def _in_loop(self, do: Callable[[], None]) -> None:
        done = threading.Event()

        def run() -> None:
            do()
            self._loop.call_soon(done.set)  # a reset connection is closed in the loop's next round

        self._loop.call_soon_threadsafe(run)
        assert done.wait(10)

    def _reset_all(self) -> None:
        for line in list(self._lines):
            self._reset(line)

    def _reset_swallowed(self) -> None:
        for line in [line for line in self._lines if line.swallowed]:
            self._reset(line)

    def _end_near_sides(self) -> None:
        for line in list(self._lines):
            line.half_closed = True
            with suppress(OSError):
                line.near.write_eof()

    def _reset(self, line: _Line) -> None:
        self.cuts += 1
        line.reset()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, LOOPBACK, self.port, backlog=4096)

    async def _end(self) -> None:
        assert self._server
        self._server.close()
        await asyncio.sleep(0.01)  # pending connections are accepted first
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # at the end: asyncio.streams would log it
            await self._connect(reader, near)

    async def _connect(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            answers, far = await asyncio.open_connection(LOOPBACK, self.to)
        except OSError:
            near.transport.abort()
            return
        line = _Line(near, far)
        self._lines.add(line)
        try:
            await asyncio.gather(self._ask(line, reader), self._answer(line, answers))
        finally:
            self._lines.discard(line)
            near.transport.abort()
            far.transport.abort()

    async def _ask(self, line: _Line, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if not await self._arrives(line, data):
                    continue
                wanted = self.impairment.lost_answer
                if wanted and wanted in data:
                    self.impairment.lost_answer = b""
                    line.answer_lost = True
                line.far.write(data)
                await line.far.drain()
            line.far.write_eof()

    async def _answer(self, line: _Line, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if line.answer_lost:
                    self.losses += 1
                    self._reset(line)
                    return
                if await self._arrives(line, data) and not line.half_closed:
                    line.near.write(data)
                    await line.near.drain()
            if not line.half_closed:
                line.near.write_eof()

    async def _arrives(self, line: _Line, data: bytes) -> bool:
        """Wait for the delay; return whether the data may pass."""
        impairment = self.impairment
        pause = impairment.delay_s + impairment.jitter_s * self.rng.random()
        pause += len(data) / impairment.rate if impairment.rate else 0.0
        if pause:
            await asyncio.sleep(pause)
        if impairment.black_hole:
            line.swallowed = True
            return False
        line.passed += len(data)
        if impairment.cut_after and line.passed > impairment.cut_after:
            self._reset(line)
            return False
        return not line.swallowed
