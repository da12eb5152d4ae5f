"""Tally: from a side's ballots to its pick, by plurality, lottery, approval or instant runoff.

`draw` decides every lot.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from games.engine.game import Side
from voting.counting.ballots import Ballot
from voting.counting.choices import decode_columns, resigns
from voting.counting.runoff import Counts, Ranking, run_off
from voting.counting.ties import Draw, TieBreaker
from voting.counting.types import Deciding, NoBallotRule, ResignShare, TallyMethod, TieRule

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
    ballots, captain = cast.ballots, cast.captain
    if not ballots:
        return _apply_no_ballot_rule((0,) * columns, legal, terms, draw)
    named = [decode_columns(ballot.choice) for ballot in ballots]
    counts = count_columns(named, columns, all_columns=terms.method == "approval")
    breaker = TieBreaker(terms.tie, named, () if captain is None else named[captain], draw)
    pick, decided_by, rounds = _pick(named, legal, counts, terms.method, breaker)
    resigning = sum(resigns(ballot.choice) for ballot in ballots)
    if is_enough_to_resign(resigning, len(ballots), terms.resign):
        return Decision(counts, None, "resign", len(ballots), rounds, resigning)
    return Decision(counts, pick, decided_by, len(ballots), rounds, resigning)


def _pick(
    named: Sequence[Ranking], legal: Sequence[int], counts: Counts, method: TallyMethod, breaker: TieBreaker
) -> tuple[int, Deciding, tuple[Counts, ...]]:
    if method == "lottery":
        return named[breaker.draw(len(named))][0], "lottery", ()
    if method == "instant_runoff":
        runoff = run_off(named, len(counts), breaker.eliminate)
        return runoff.winner, runoff.tie or "runoff", runoff.rounds
    leaders = [column for column in legal if counts[column - 1] == max(counts)]
    if len(leaders) == 1:
        return leaders[0], method, ()
    return *breaker.pick_leader(leaders), ()


def is_enough_to_resign(resigning: int, ballots: int, share: ResignShare | None) -> bool:
    """Return whether `resigning` ballots of `ballots` reach the share that resigns the match."""
    if share is None or not resigning:
        return False
    part, whole = SHARES[share]
    return resigning * whole >= ballots * part


def count_columns(named: Iterable[Ranking], columns: int, *, all_columns: bool = False) -> Counts:
    """Count the ballots for each column: by first choice, or with `all_columns` by every column named."""
    counts = [0] * columns
    for ranking in named:
        for column in ranking if all_columns else ranking[:1]:
            counts[column - 1] += 1
    return tuple(counts)


def _apply_no_ballot_rule(counts: Counts, legal: Sequence[int], terms: TallyTerms, draw: Draw) -> Decision:
    if terms.no_ballot == "random":
        return Decision(counts, legal[draw(len(legal))], "random", 0)
    return Decision(counts, None, terms.no_ballot, 0)
