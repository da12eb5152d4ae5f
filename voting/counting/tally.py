"""From a side's ballots to its pick. Every lot is drawn with the `draw` given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from voting.counting.ballots import Ballot
from voting.protocol import Deciding

Draw = Callable[[int], int]  # a number from 0 below the one given


@dataclass(frozen=True, slots=True)
class TallyTerms:
    method: Literal["plurality", "lottery"]
    tie: Literal["first", "lot"]
    no_ballot: Literal["random", "pass", "forfeit"]


@dataclass(frozen=True, slots=True)
class Decision:
    """`counts[0]` is column 1."""

    counts: tuple[int, ...]
    pick: int | None
    decided_by: Deciding

    @property
    def ballots(self) -> int:
        return sum(self.counts)


def decide(
    ballots: Sequence[Ballot], legal: Sequence[int], columns: int, terms: TallyTerms, draw: Draw
) -> Decision:
    """The pick of the side that cast `ballots`, in order of arrival, all for `legal` columns (not empty)."""
    counts = count_ballots(ballots, columns)
    if not ballots:
        return _decide_without_ballots(counts, legal, terms, draw)
    if terms.method == "lottery":
        return Decision(counts, ballots[draw(len(ballots))].column, "lottery")
    leaders = [column for column in legal if counts[column - 1] == max(counts)]
    if len(leaders) == 1:
        return Decision(counts, leaders[0], "plurality")
    if terms.tie == "lot":
        return Decision(counts, leaders[draw(len(leaders))], "lot")
    return Decision(counts, first_complete(ballots, leaders), "first")


def count_ballots(ballots: Sequence[Ballot], columns: int) -> tuple[int, ...]:
    counts = [0] * columns
    for ballot in ballots:
        counts[ballot.column - 1] += 1
    return tuple(counts)


def first_complete(ballots: Sequence[Ballot], leaders: Sequence[int]) -> int:
    """The leader whose last ballot arrived first: its count was complete before the others'."""
    last = {ballot.column: place for place, ballot in enumerate(ballots)}
    return min(leaders, key=lambda column: last[column])


def _decide_without_ballots(
    counts: tuple[int, ...], legal: Sequence[int], terms: TallyTerms, draw: Draw
) -> Decision:
    if terms.no_ballot == "random":
        return Decision(counts, legal[draw(len(legal))], "random")
    return Decision(counts, None, terms.no_ballot)
