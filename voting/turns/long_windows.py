"""Open turns whose deadlines are far: there may be a hundred thousand, too many to look at all at once.

They are walked through in small slices, in the order of their deadlines, again and again.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from games.models import Turn, TurnState

LONG_WINDOW_MS = 15 * 60 * 1000


@dataclass(slots=True)
class LongTurnCursor:
    """Through the open turns that close after `after_ms`; `rounds` is how often it came to the end."""

    batch_size: int
    rounds: int = 0
    _after: tuple[int, int] = (0, 0)

    def step(self, after_ms: int) -> Sequence[tuple[int, int]]:
        """The next few, with their versions."""
        at, last = max((after_ms, sys.maxsize), self._after)
        turns = Turn.objects.filter(state=TurnState.OPEN, closes_at__gte=at).exclude(
            closes_at=at, pk__lte=last
        )
        in_order = turns.order_by("closes_at", "pk").values_list("closes_at", "pk", "version")
        rows = list(in_order[: self.batch_size])
        whole = len(rows) == self.batch_size
        self._after = rows[-1][:2] if whole else (0, 0)
        self.rounds += not whole
        return [(pk, version) for _, pk, version in rows]
