"""From a side's ballots to its pick. Every lot is drawn from the `rng` given."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from voting.ballots import Ballot
from voting.protocol import Deciding


class Rng(Protocol):
    def randrange(self, stop: int, /) -> int: ...


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
    ballots: Sequence[Ballot], legal: Sequence[int], columns: int, terms: TallyTerms, rng: Rng
) -> Decision:
    """The pick of the side that cast `ballots`, all of them for `legal` columns (not empty)."""
    counts = count_ballots(ballots, columns)
    if not ballots:
        return _decide_without_ballots(counts, legal, terms, rng)
    if terms.method == "lottery":
        return Decision(counts, ballots[rng.randrange(len(ballots))].column, "lottery")
    leaders = [column for column in legal if counts[column - 1] == max(counts)]
    if len(leaders) == 1:
        return Decision(counts, leaders[0], "plurality")
    if terms.tie == "lot":
        return Decision(counts, leaders[rng.randrange(len(leaders))], "lot")
    return Decision(counts, first_complete(ballots, leaders), "first")


def count_ballots(ballots: Sequence[Ballot], columns: int) -> tuple[int, ...]:
    counts = [0] * columns
    for ballot in ballots:
        counts[ballot.column - 1] += 1
    return tuple(counts)


def first_complete(ballots: Sequence[Ballot], leaders: Sequence[int]) -> int:
    """The leader whose last ballot arrived first: its count was complete before the others'."""
    last = {column: max(b.arrival for b in ballots if b.column == column) for column in leaders}
    return min(leaders, key=lambda column: (last[column], column))


def _decide_without_ballots(
    counts: tuple[int, ...], legal: Sequence[int], terms: TallyTerms, rng: Rng
) -> Decision:
    if terms.no_ballot == "random":
        return Decision(counts, legal[rng.randrange(len(legal))], "random")
    return Decision(counts, None, terms.no_ballot)
