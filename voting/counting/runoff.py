"""Instant runoff: the last column is eliminated and its ballots are transferred, until one has a majority.

Columns that no ballot ranks first are out from the start: no transfer could reach them in time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from voting.counting.types import TieRule

Ranking = tuple[int, ...]
Counts = tuple[int, ...]


@dataclass(slots=True)
class RunoffRound:
    """The ballots of each remaining column in one round, and the index of the last of them."""

    counts: dict[int, int] = field(default_factory=dict)
    last_arrival: dict[int, int] = field(default_factory=dict)

    @property
    def last_placed(self) -> list[int]:
        """The columns with the fewest ballots."""
        fewest = min(self.counts.values())
        return sorted(column for column, count in self.counts.items() if count == fewest)

    @property
    def winner(self) -> int | None:
        """The column with more than half of the ballots that still count, or None."""
        best = max(self.counts, key=lambda column: self.counts[column])
        return best if 2 * self.counts[best] > sum(self.counts.values()) else None


@dataclass(frozen=True, slots=True)
class Runoff:
    """The result of an instant runoff.

    `rounds[0]` are the first choices. `tie` is the rule that broke a tie between all remaining columns.
    """

    winner: int
    rounds: tuple[Counts, ...]
    tie: TieRule | None


#: Returns the column to eliminate from those tied for last place in a round (from 1), and the rule used.
Eliminate = Callable[[RunoffRound, int], tuple[int, TieRule]]


def run_off(rankings: Sequence[Ranking], columns: int, eliminate: Eliminate) -> Runoff:
    """Run the instant runoff over `rankings`, which are in order of arrival and not empty."""
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
