"""A latency histogram: percentiles of any number of samples in little memory."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

import msgspec

PER_MS = 10


class Spread(msgspec.Struct, frozen=True):
    """Percentiles by nearest rank, in the unit of the samples."""

    p50: float
    p99: float
    max: float


class Samples:
    """Times in ms, rounded to 0.1 ms."""

    def __init__(self, times: Iterable[float] = ()) -> None:
        self._counts: Counter[int] = Counter()
        for ms in times:
            self.add(ms)

    def add(self, ms: float) -> None:
        self._counts[int(ms * PER_MS + 0.5)] += 1

    def spread(self) -> Spread | None:
        """Return the percentiles in ms, or None without samples."""
        ranked = sorted(self._counts.items())
        if not ranked:
            return None
        upto = list(accumulate(count for _, count in ranked))
        wanted = [min(upto[-1] - 1, upto[-1] * percent // 100) for percent in (50, 99, 100)]
        return Spread(*(ranked[bisect_right(upto, rank)][0] / PER_MS for rank in wanted))

    def in_seconds(self) -> Spread | None:
        """Return the percentiles in seconds, or None without samples."""
        spread = self.spread()
        return spread and Spread(*(round(ms / 1000, 3) for ms in (spread.p50, spread.p99, spread.max)))
