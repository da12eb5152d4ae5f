"""Tally: from a side's ballots to its pick. `draw` decides every lot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from games.engine.game import Side
from voting.counting.ballots import Ballot
from voting.counting.choices import resigns
from voting.counting.methods import Deciding, TallyMethod, find_method
from voting.counting.methods.voting_method import Counts
from voting.counting.ties import Draw, TieBreaker
from voting.counting.types import NoBallotRule, ResignShare, TieRule

SHARES: dict[ResignShare, tuple[int, int]] = {
    "half": (1, 2),
    "two_thirds": (2, 3),
    "three_quarters": (3, 4),
    "all": (1, 1),
}


@dataclass(frozen=True, slots=True)
class TallyTerms:
    """How a side's ballots are counted.

    `resign` is the share of a side's ballots that resigns the match. None: nobody can resign.
    """

    method: TallyMethod
    tie: TieRule
    no_ballot: NoBallotRule
    resign: ResignShare | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A side's pick and how it came about.

    `counts[0]` is column 1. In a runoff, `counts` are the first choices and `rounds` the counts of all
    rounds. `resigning` is the number of ballots that ask to resign.
    """

    counts: Counts
    pick: int | None
    decided_by: Deciding
    ballots: int
    rounds: tuple[Counts, ...] = ()
    resigning: int = 0


@dataclass(frozen=True, slots=True)
class SideBallots:
    """A side's ballots in order of arrival. `captain` is the index of the captain's ballot."""

    side: Side
    ballots: Sequence[Ballot]
    captain: int | None = None


def decide(cast: SideBallots, legal: Sequence[int], columns: int, terms: TallyTerms, draw: Draw) -> Decision:
    """Decide the side's pick. All ballots are for `legal` columns; `legal` is not empty.

    If enough ballots ask to resign, nothing is picked.
    """
    ballots, captain, method = cast.ballots, cast.captain, find_method(terms.method)
    if not ballots:
        return _decide_without_ballots((0,) * columns, legal, terms, draw)
    alike = Counter(ballot.choice for ballot in ballots)
    decoded = {choice: method.decode(choice) for choice in alike}
    counts = method.count(((decoded[choice], number) for choice, number in alike.items()), columns)
    named = [decoded[ballot.choice] for ballot in ballots]
    breaker = TieBreaker(terms.tie, named, () if captain is None else named[captain], draw)
    pick = method.pick(legal, counts, breaker)
    resigning = sum(number for choice, number in alike.items() if resigns(choice))
    if is_enough_to_resign(resigning, len(ballots), terms.resign):
        return Decision(counts, None, "resign", len(ballots), pick.rounds, resigning)
    return Decision(counts, pick.column, pick.decided_by, len(ballots), pick.rounds, resigning)


def is_enough_to_resign(resigning: int, ballots: int, share: ResignShare | None) -> bool:
    """Return whether `resigning` ballots of `ballots` reach the share that resigns the match."""
    if share is None or not resigning:
        return False
    part, whole = SHARES[share]
    return resigning * whole >= ballots * part


def _decide_without_ballots(counts: Counts, legal: Sequence[int], terms: TallyTerms, draw: Draw) -> Decision:
    if terms.no_ballot == "random":
        return Decision(counts, legal[draw(len(legal))], "random", 0)
    return Decision(counts, None, terms.no_ballot, 0)
