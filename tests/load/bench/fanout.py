"""One press of an organizer, until the last line has heard of it."""

import asyncio
from collections.abc import Callable

import msgspec

from tests.load.bench.contender import Contender
from tests.load.bench.line import Line
from tests.load.bench.machine import Stopwatch

WITHIN_S = 60.0
SETTLE_S = 0.3


class Listeners:
    def __init__(self, contender: Contender, starts: bytes) -> None:
        self._missing = set(contender.lines)
        self._starts = starts
        self.first = b""
        self.all_received = asyncio.Event()
        contender.on_frame = self._handle_frame

    def _handle_frame(self, line: Line, text: bytes) -> None:
        if text.startswith(self._starts):
            self.first = self.first or text
            self._missing.discard(line)
            if not self._missing:
                self.all_received.set()


class Fanout(msgspec.Struct, frozen=True):
    """A round: milliseconds until the last line had it, and of the server's CPU."""

    wall_ms: float
    cpu_ms: float


async def fanout_of(contender: Contender, press: Callable[[], None], starts: bytes) -> tuple[Fanout, bytes]:
    """The round and its text. `starts` is how the frame begins that all are told after the press."""
    listeners = Listeners(contender, starts)
    watch = Stopwatch(contender.servers)
    press()
    async with asyncio.timeout(WITHIN_S):
        await listeners.all_received.wait()
    wall = watch.wall_s
    await asyncio.sleep(SETTLE_S)
    return Fanout(wall * 1000, watch.cpu_s() * 1000), listeners.first
