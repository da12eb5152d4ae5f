"""Tie breaking between columns with equally many ballots: by arrival, by lot, or by the captain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voting.counting.runoff import Ranking, RunoffRound
from voting.counting.types import TieRule

#: Returns a number from 0 to below the first argument. In a runoff the second argument is the round.
Draw = Callable[..., int]


@dataclass(frozen=True, slots=True)
class TieBreaker:
    """Breaks ties by `rule`.

    `named` are the columns of each ballot, in order of arrival; `captain` are those of the captain's ballot.
    """

    rule: TieRule
    named: Sequence[Ranking]
    captain: Ranking
    draw: Draw

    def pick_leader(self, leaders: Sequence[int]) -> tuple[int, TieRule]:
        """Pick one of the columns with the most ballots.

        If the captain names several of them, draw among those.
        """
        if self.rule == "first":
            return first_complete(self.named, leaders), "first"
        supported = [column for column in leaders if column in self.captain] if self.rule == "captain" else []
        if len(supported) == 1:
            return supported[0], "captain"
        among = supported or leaders
        return among[self.draw(len(among))], "lot"

    def eliminate(self, current: RunoffRound, number: int) -> tuple[int, TieRule]:
        """Pick one of the columns with the fewest ballots in a round, to be eliminated.

        By arrival it is the last one to be complete, by captain the one that the captain ranks lowest.
        """
        if self.rule == "first":
            return max(current.last_placed, key=lambda column: current.last_arrival[column]), "first"
        if self.rule == "lot" or not self.captain:
            return current.last_placed[self.draw(len(current.last_placed), number)], "lot"
        unnamed = [column for column in current.last_placed if column not in self.captain]
        if not unnamed:
            return max(current.last_placed, key=self.captain.index), "captain"
        if len(unnamed) == 1:
            return unnamed[0], "captain"
        return unnamed[self.draw(len(unnamed), number)], "lot"


def first_complete(named: Sequence[Ranking], leaders: Sequence[int]) -> int:
    """Return the leader whose last ballot arrived first: its count was complete first."""
    last_arrival = {column: place for place, ranking in enumerate(named) for column in ranking}
    return min(leaders, key=lambda column: last_arrival[column])
