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

from crowdgame.server.laptop.network import LOOPBACK

CHUNK = 65_536


@dataclass(slots=True)
class Impairment:
    """What happens to data in both directions; nothing by default.

    Each chunk is delayed by `delay_s` plus up to `jitter_s`, and at most `rate` bytes per second pass. With
    `black_hole`, data is received and dropped. A connection is reset after `reset_after` bytes. The next
    request that contains `lost_reply` is forwarded, but its connection is reset instead of answered.
    """

    delay_s: float = 0.0
    jitter_s: float = 0.0
    rate: float = 0.0
    black_hole: bool = False
    reset_after: int = 0
    lost_reply: bytes = b""


@dataclass(slots=True, eq=False)
class _Connection:
    """One connection through the proxy. Once it has dropped data, it is unusable."""

    downstream: asyncio.StreamWriter
    upstream: asyncio.StreamWriter
    forwarded: int = 0
    dropped_data: bool = False
    reply_lost: bool = False
    half_closed: bool = False

    def reset(self) -> None:
        for writer in (self.downstream, self.upstream):
            own: socket.socket | None = writer.get_extra_info("socket")
            if own is not None and own.fileno() >= 0:
                with suppress(OSError):
                    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    def half_close(self) -> None:
        self.half_closed = True
        with suppress(OSError):
            self.downstream.write_eof()


@dataclass(slots=True)
class Proxy:
    """A context manager that proxies LOOPBACK:`target_port`. Counts lost replies."""

    target_port: int
    rng: Random = field(default_factory=lambda: Random(1))
    impairment: Impairment = field(default_factory=Impairment)
    port: int = 0
    lost_replies: int = 0
    _connections: set[_Connection] = field(default_factory=set)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread | None = None
    _server: asyncio.Server | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._thread.start()
        listening = asyncio.start_server(self._accept, LOOPBACK, 0, backlog=4096)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result(10)
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
            self._call_on_all(lambda connection: connection.reset() if connection.dropped_data else None)

    def reset_all(self) -> None:
        self._call_on_all(_Connection.reset)

    def half_close(self) -> None:
        """Half-close every connection towards its client, but still receive data."""
        self._call_on_all(_Connection.half_close)

    def _call_on_all(self, do: Callable[[_Connection], None]) -> None:
        done = threading.Event()

        def run() -> None:
            for connection in list(self._connections):
                do(connection)
            self._loop.call_soon(done.set)  # a reset connection is closed in the loop's next round

        self._loop.call_soon_threadsafe(run)
        assert done.wait(10)

    async def _end(self) -> None:
        assert self._server
        self._server.close()
        await asyncio.sleep(0.01)  # pending connections are accepted first
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, downstream: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # at the end: asyncio.streams would log it
            await self._proxy(reader, downstream)

    async def _proxy(self, reader: asyncio.StreamReader, downstream: asyncio.StreamWriter) -> None:
        try:
            replies, upstream = await asyncio.open_connection(LOOPBACK, self.target_port)
        except OSError:
            downstream.transport.abort()
            return
        connection = _Connection(downstream, upstream)
        self._connections.add(connection)
        try:
            requests = self._forward_requests(connection, reader)
            await asyncio.gather(requests, self._forward_replies(connection, replies))
        finally:
            self._connections.discard(connection)
            downstream.transport.abort()
            upstream.transport.abort()

    async def _forward_requests(self, connection: _Connection, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if not await self._may_pass(connection, data):
                    continue
                marker = self.impairment.lost_reply
                if marker and marker in data:
                    self.impairment.lost_reply = b""
                    connection.reply_lost = True
                connection.upstream.write(data)
                await connection.upstream.drain()
            connection.upstream.write_eof()

    async def _forward_replies(self, connection: _Connection, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                if connection.reply_lost:
                    self.lost_replies += 1
                    connection.reset()
                    return
                if await self._may_pass(connection, data) and not connection.half_closed:
                    connection.downstream.write(data)
                    await connection.downstream.drain()
            if not connection.half_closed:
                connection.downstream.write_eof()

    async def _may_pass(self, connection: _Connection, data: bytes) -> bool:
        """Wait for the delay; return whether the data may pass."""
        impairment = self.impairment
        pause = impairment.delay_s + impairment.jitter_s * self.rng.random()
        pause += len(data) / impairment.rate if impairment.rate else 0.0
        if pause:
            await asyncio.sleep(pause)
        if impairment.black_hole:
            connection.dropped_data = True
            return False
        connection.forwarded += len(data)
        if impairment.reset_after and connection.forwarded > impairment.reset_after:
            connection.reset()
            return False
        return not connection.dropped_data
