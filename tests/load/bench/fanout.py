"""Broadcast latency: from an organizer's action until the last connection has received it."""

import asyncio
from collections.abc import Callable

import msgspec

from tests.load.bench.connection import Connection
from tests.load.bench.contender import Contender
from tests.load.bench.machine import Stopwatch

WITHIN_S = 60.0
SETTLE_S = 0.3


class Listeners:
    def __init__(self, contender: Contender, starts: bytes) -> None:
        self._missing = set(contender.connections)
        self._starts = starts
        self.first = b""
        self.all_received = asyncio.Event()
        contender.on_frame = self._handle_frame

    def _handle_frame(self, connection: Connection, text: bytes) -> None:
        if text.startswith(self._starts):
            self.first = self.first or text
            self._missing.discard(connection)
            if not self._missing:
                self.all_received.set()


class Fanout(msgspec.Struct, frozen=True):
    """One round: milliseconds until the last connection received it, and of server CPU."""

    wall_ms: float
    cpu_ms: float


async def measure_fanout(
    contender: Contender, send_action: Callable[[], None], starts: bytes
) -> tuple[Fanout, bytes]:
    """Return the round and its frame. `starts` is the beginning of the broadcast frame."""
    listeners = Listeners(contender, starts)
    watch = Stopwatch(contender.servers)
    send_action()
    async with asyncio.timeout(WITHIN_S):
        await listeners.all_received.wait()
    wall = watch.wall_s
    await asyncio.sleep(SETTLE_S)
    return Fanout(wall * 1000, watch.cpu_s() * 1000), listeners.first
