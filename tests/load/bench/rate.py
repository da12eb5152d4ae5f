"""Votes a second: a closed loop over all lines in turn, each with at most one vote under way.

With thousands of lines none of them comes near the limit of five frames a second.
"""

import asyncio
from collections import deque

import msgspec

from tests.load.bench.contender import Contender
from tests.load.bench.line import Line
from tests.load.bench.machine import Stopwatch

IN_FLIGHT = 512  # a server: two have the phones of two halls
WARM_UP_S = 0.3
DRAIN_WITHIN_S = 10.0
LONGEST_S = 20.0
ROUNDS_OF_ALL = 4


class Rate(msgspec.Struct, frozen=True):
    """A round. `cpu_s` is of the servers, `behind_s` of what they need, `own_s` of the load generator."""

    answered: int
    wall_s: float
    cpu_s: float
    own_s: float
    behind_s: float = 0.0

    @property
    def a_second(self) -> float:
        return self.answered / self.wall_s

    @property
    def a_cpu_second(self) -> float:
        return self.answered / self.cpu_s

    @property
    def us_a_ballot(self) -> float:
        """Microseconds of CPU, of the servers and of all behind them."""
        return (self.cpu_s + self.behind_s) / self.answered * 1e6

    @property
    def server_share(self) -> float:
        """How much of a core the servers had: below 1 while others took it."""
        return self.cpu_s / self.wall_s

    @property
    def load_share(self) -> float:
        """How much of its core the load generator used: near 1 it is what is measured."""
        return self.own_s / self.wall_s


class Loop:
    def __init__(self, contender: Contender) -> None:
        self.answered = 0
        self._contender = contender
        self._free = deque(contender.lines)
        self._under_way = 0
        self._running = True
        self._drained = asyncio.Event()
        self._enough = asyncio.Event()
        self._enough_at = 0
        contender.on_frame = self._handle_frame

    def start(self) -> None:
        for _ in range(min(IN_FLIGHT * len(self._contender.servers), len(self._free))):
            self._send()

    async def go_on(self, seconds: float, answers: int) -> None:
        """So long, and until there are so many more answers: a server may have little of a busy machine."""
        self._enough_at = self.answered + answers
        self._enough.clear()
        await asyncio.sleep(seconds)
        async with asyncio.timeout(LONGEST_S):
            await self._enough.wait()

    async def stop(self) -> None:
        self._running = False
        self._assert_all_live()
        async with asyncio.timeout(DRAIN_WITHIN_S):
            await self._drained.wait()

    def _assert_all_live(self) -> None:
        """A server that ends lines under load has no rate."""
        ended = sum(line.ended for line in self._contender.lines)
        assert not ended, f"{self._contender.name} ended {ended} of {len(self._contender.lines)} lines"

    def _send(self) -> None:
        line = self._free.popleft()
        self._under_way += 1
        line.send(self._contender.vote(line))

    def _handle_frame(self, line: Line, text: bytes) -> None:
        if not self._contender.is_answer(text):
            return
        self.answered += 1
        if self.answered == self._enough_at:
            self._enough.set()
        self._under_way -= 1
        self._free.append(line)
        if self._running:
            self._send()
        elif not self._under_way:
            self._drained.set()


async def rate_of(contender: Contender, seconds: float) -> Rate:
    loop = Loop(contender)
    loop.start()
    await loop.go_on(WARM_UP_S, IN_FLIGHT)
    watch, before = Stopwatch((*contender.servers, *contender.behind)), loop.answered
    await loop.go_on(seconds, ROUNDS_OF_ALL * IN_FLIGHT)
    rate = Rate(
        loop.answered - before,
        watch.wall_s,
        watch.cpu_s(contender.servers),
        watch.own_s,
        watch.cpu_s(contender.behind),
    )
    await loop.stop()
    return rate
