"""One press of an organizer, until the last line has heard of it."""

import asyncio
from collections.abc import Callable

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
        self.all_told = asyncio.Event()
        contender.heard = self._hear

    def _hear(self, line: Line, text: bytes) -> None:
        if text.startswith(self._starts):
            self.first = self.first or text
            self._missing.discard(line)
            if not self._missing:
                self.all_told.set()


class Fanout:
    """Seconds until the last line had it, and what the server spent."""

    def __init__(self, wall_s: float, cpu_s: float, text: bytes) -> None:
        self.wall_s, self.cpu_s, self.text = wall_s, cpu_s, text


async def fanout_of(contender: Contender, press: Callable[[], None], starts: bytes) -> Fanout:
    """`starts` is how the frame begins that all are told after the press."""
    listeners = Listeners(contender, starts)
    watch = Stopwatch(contender.pid)
    press()
    async with asyncio.timeout(WITHIN_S):
        await listeners.all_told.wait()
    wall = watch.wall_s
    await asyncio.sleep(SETTLE_S)
    return Fanout(wall, watch.cpu_s, listeners.first)
