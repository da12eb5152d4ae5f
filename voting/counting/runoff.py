"""Instant runoff: the last one goes out, its ballots go on to whom they name next, until one has a majority.

Columns that nobody puts first are out from the beginning: nothing could ever reach them before they go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voting.counting.types import TieRule

Ranking = tuple[int, ...]
Counts = tuple[int, ...]


@dataclass(slots=True)
class Standing:
    """A round: how many ballots are with each column that is not out, and the place of the last of them."""

    counts: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)

    @property
    def tail(self) -> list[int]:
        """The columns with the fewest ballots."""
        fewest = min(self.counts.values())
        return sorted(column for column, count in self.counts.items() if count == fewest)

    @property
    def winner(self) -> int | None:
        """Who has more than half of the ballots that still count."""
        best = max(self.counts, key=lambda column: self.counts[column])
        return best if 2 * self.counts[best] > sum(self.counts.values()) else None


@dataclass(frozen=True, slots=True)
class Runoff:
    """`rounds[0]` are the first choices. `tie`: how one among all that still stood was broken."""

    winner: int
    rounds: tuple[Counts, ...]
    tie: TieRule | None


#: Which of the columns that tie for the last place in a round (from 1) goes out, and by what rule.
GoesOut = Callable[[Standing, int], tuple[int, TieRule]]


def run_off(rankings: Sequence[Ranking], columns: int, goes_out: GoesOut) -> Runoff:
    """`rankings` (not empty) in order of arrival."""
    still = {ranking[0] for ranking in rankings}
    rounds: list[Counts] = []
    tie: TieRule | None = None
    while True:
        standing = _stand(rankings, still)
        rounds.append(tuple(standing.counts.get(column, 0) for column in range(1, columns + 1)))
        if standing.winner is not None:
            return Runoff(standing.winner, tuple(rounds), tie)
        out, rule = standing.tail[0], tie
        if len(standing.tail) > 1:
            out, rule = goes_out(standing, len(rounds))
        if len(standing.tail) == len(still):
            tie = rule
        still.remove(out)
        if len(still) == 1:
            return Runoff(still.pop(), tuple(rounds), tie)


def _stand(rankings: Sequence[Ranking], still: set[int]) -> Standing:
    standing = Standing()
    for place, ranking in enumerate(rankings):
        column = next((column for column in ranking if column in still), None)
        if column is not None:
            standing.counts[column] = standing.counts.get(column, 0) + 1
            standing.last[column] = place
    return standing
