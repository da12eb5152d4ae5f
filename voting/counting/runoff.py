"""Instant runoff: the last one goes out, its ballots go on to whom they name next, until one has a majority.

Columns that nobody puts first are out from the beginning: nothing could ever reach them before they go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voting.counting.types import TieRule

Ranking = tuple[int, ...]
Counts = tuple[int, ...]


@dataclass(slots=True)
class RunoffRound:
    """A round: how many ballots are with each column that is not out, and the place of the last of them."""

    counts: dict[int, int] = field(default_factory=dict)
    last_arrival: dict[int, int] = field(default_factory=dict)

    @property
    def last_placed(self) -> list[int]:
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
Eliminate = Callable[[RunoffRound, int], tuple[int, TieRule]]


def run_off(rankings: Sequence[Ranking], columns: int, eliminate: Eliminate) -> Runoff:
    """`rankings` (not empty) in order of arrival."""
    remaining = {ranking[0] for ranking in rankings}
    rounds: list[Counts] = []
    tie: TieRule | None = None
    while True:
        current = _count_round(rankings, remaining)
        rounds.append(tuple(current.counts.get(column, 0) for column in range(1, columns + 1)))
        if current.winner is not None:
            return Runoff(current.winner, tuple(rounds), tie)
        eliminated, rule = current.last_placed[0], tie
        if len(current.last_placed) > 1:
            eliminated, rule = eliminate(current, len(rounds))
        if len(current.last_placed) == len(remaining):
            tie = rule
        remaining.remove(eliminated)
        if len(remaining) == 1:
            return Runoff(remaining.pop(), tuple(rounds), tie)


def _count_round(rankings: Sequence[Ranking], remaining: set[int]) -> RunoffRound:
    current = RunoffRound()
    for place, ranking in enumerate(rankings):
        column = next((column for column in ranking if column in remaining), None)
        if column is not None:
            current.counts[column] = current.counts.get(column, 0) + 1
            current.last_arrival[column] = place
    return current
