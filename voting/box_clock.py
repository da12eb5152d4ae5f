"""The ballot box's time as a gateway knows it between two looks."""

import time
from dataclasses import dataclass

QUICK_MS = 50.0
STALE_MS = 30_000.0


def local_ms() -> float:
    return time.monotonic() * 1000


@dataclass(slots=True)
class BoxClock:
    """Learns from answers that came quickly, and from slow ones only when it has nothing fresher."""

    offset_ms: float | None = None
    learned_at: float = 0.0

    def learn(self, told: int, asked: float, answered: float) -> None:
        """The box said `told` in answer to a question asked and answered at these local times."""
        fresh = self.offset_ms is not None and answered - self.learned_at < STALE_MS
        if fresh and answered - asked > QUICK_MS:
            return
        self.offset_ms = told - (asked + answered) / 2
        self.learned_at = answered

    def now(self) -> int:
        return int(local_ms() + (self.offset_ms or 0.0))
