"""Which of several columns with as many ballots stays or goes: by arrival, by lot, by the captain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voting.counting.runoff import Ranking, RunoffRound
from voting.counting.types import TieRule

#: A number from 0 below the first one given; in a runoff each round, the second one, has a lot of its own.
Draw = Callable[..., int]


@dataclass(frozen=True, slots=True)
class TieBreaker:
    """`named` is what each ballot names, in order of arrival; `captain` what the captain's does."""

    rule: TieRule
    named: Sequence[Ranking]
    captain: Ranking
    draw: Draw

    def pick_leader(self, leaders: Sequence[int]) -> tuple[int, TieRule]:
        """Of those with the most ballots. A captain who names several of them leaves those to the lot."""
        if self.rule == "first":
            return first_complete(self.named, leaders), "first"
        supported = [column for column in leaders if column in self.captain] if self.rule == "captain" else []
        if len(supported) == 1:
            return supported[0], "captain"
        among = supported or leaders
        return among[self.draw(len(among))], "lot"

    def eliminate(self, current: RunoffRound, number: int) -> tuple[int, TieRule]:
        """Of those with the fewest in a round: the last to be complete, or whom the captain likes least."""
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
    """The leader whose last ballot arrived first: its count was complete before the others'."""
    last_arrival = {column: place for place, ranking in enumerate(named) for column in ranking}
    return min(leaders, key=lambda column: last_arrival[column])
