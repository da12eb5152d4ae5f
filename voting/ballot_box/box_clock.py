"""The ballot box's time, as this process estimates it."""

import time
from dataclasses import dataclass

FAST_REPLY_MS = 50.0
OFFSET_STALE_MS = 30_000.0
MIN_STEP_MS = 2_000.0


def local_ms() -> float:
    """Return this process's monotonic clock in milliseconds."""
    return time.monotonic() * 1000


@dataclass(slots=True)
class BoxClock:
    """Estimates the ballot box's time between two replies, from its offset to the local monotonic clock.

    Learns the offset from fast replies; from slow ones only if it is stale, or if the clock was set.
    """

    offset_ms: float | None = None
    learned_at: float = 0.0

    def observe(self, box_ms: int, asked: float, answered: float) -> None:
        """Learn from a reply: the box said `box_ms` between the local times `asked` and `answered`."""
        fresh = self.offset_ms is not None and answered - self.learned_at < OFFSET_STALE_MS
        if fresh and answered - asked > FAST_REPLY_MS and not self.step(box_ms, asked, answered):
            return
        self.offset_ms = box_ms - (asked + answered) / 2
        self.learned_at = answered

    def step(self, box_ms: int, asked: float, answered: float) -> int:
        """Return the clock step since then in milliseconds; 0 if the round trip explains the reply."""
        if self.offset_ms is None:
            return 0
        earliest, latest = asked + self.offset_ms, answered + self.offset_ms
        if earliest - MIN_STEP_MS <= box_ms <= latest + MIN_STEP_MS:
            return 0
        return round(box_ms - (earliest + latest) / 2)

    def now(self) -> int:
        """Return the estimated time of the box in Unix milliseconds."""
        return int(local_ms() + (self.offset_ms or 0.0))
