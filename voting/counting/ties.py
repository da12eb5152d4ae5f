"""Tie breaking between columns with equally many ballots: by arrival, by lot, or by the captain."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from voting.counting.ballots import Columns
from voting.terms import TieRule

#: Returns a number from 0 to below the first argument. In a runoff the second argument is the round.
Draw = Callable[..., int]


@dataclass(frozen=True, slots=True)
class TieBreaker:
    """Breaks ties by `rule`.

    `named` are the columns of each ballot, `captain` those of the captain's ballot. `arrivals` are the
    indexes of the ballots in order of arrival; None if they are listed in that order.
    """

    rule: TieRule
    named: Sequence[Columns]
    captain: Columns
    draw: Draw
    arrivals: Sequence[int] | None = None

    def named_by_arrival(self) -> Sequence[Columns]:
        """Return the columns of each ballot in order of arrival."""
        return self.named if self.arrivals is None else [self.named[index] for index in self.arrivals]

    def pick_leader(self, leaders: Sequence[int]) -> tuple[int, TieRule]:
        """Pick one of the columns with the most votes.

        By captain it is the one that the captain's ballot names most often. If those are several, draw among
        them.
        """
        if self.rule == TieRule.FIRST:
            return first_complete(self.named_by_arrival(), leaders), TieRule.FIRST
        among = self._named_by_captain(leaders) if self.rule == TieRule.CAPTAIN else leaders
        if len(among) == 1:
            return among[0], TieRule.CAPTAIN
        return among[self.draw(len(among))], TieRule.LOT

    def _named_by_captain(self, leaders: Sequence[int]) -> Sequence[int]:
        most = max(map(self.captain.count, leaders))
        return [column for column in leaders if self.captain.count(column) == most]

    def eliminate(
        self, last_placed: Sequence[int], last_arrival: Mapping[int, int], number: int
    ) -> tuple[int, TieRule]:
        """Pick one of the columns with the fewest ballots in round `number` of a runoff, to be eliminated.

        By arrival it is the last one to be complete, by captain the one that the captain ranks lowest.
        `last_arrival` is the index of each column's last ballot.
        """
        if self.rule == TieRule.FIRST:
            return max(last_placed, key=lambda column: last_arrival[column]), TieRule.FIRST
        if self.rule == TieRule.LOT or not self.captain:
            return last_placed[self.draw(len(last_placed), number)], TieRule.LOT
        unnamed = [column for column in last_placed if column not in self.captain]
        if not unnamed:
            return max(last_placed, key=self.captain.index), TieRule.CAPTAIN
        if len(unnamed) == 1:
            return unnamed[0], TieRule.CAPTAIN
        return unnamed[self.draw(len(unnamed), number)], TieRule.LOT


def first_complete(named: Sequence[Columns], leaders: Sequence[int]) -> int:
    """Return the leader whose last ballot arrived first: its count was complete first."""
    last_arrival = {column: place for place, columns in enumerate(named) for column in columns}
    return min(leaders, key=lambda column: last_arrival[column])
