"""Paginate open turns with distant deadlines: there may be 100,000, too many for one query a second.

A cursor reads them in small batches in the order of their deadlines, and starts over at the end.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from voting.models import Turn, TurnState

LONG_WINDOW_MS = 15 * 60 * 1000


@dataclass(slots=True)
class LongTurnCursor:
    """A keyset cursor over the open turns that close at `after_ms` or later.

    `rounds` counts how often it has reached the end.
    """

    batch_size: int
    rounds: int = 0
    _after: tuple[int, int] = (0, 0)

    def step(self, after_ms: int) -> Sequence[tuple[int, int]]:
        """Return the next batch as pairs of turn id and version."""
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
