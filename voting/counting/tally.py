"""Tally: from a side's ballots to its pick. `draw` decides every lot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from games.engine.game import Side
from voting.counting.ballots import Ballot, asks_for_draw, resigns
from voting.counting.methods import Deciding, TallyMethod
from voting.counting.methods.voting_method import Counts, find_method
from voting.counting.ties import Draw, TieBreaker
from voting.counting.types import Column, Count, Hash
from voting.terms import NoBallotRule, ResignShare, TieRule

SHARES: dict[ResignShare, tuple[int, int]] = {
    ResignShare.HALF: (1, 2),
    ResignShare.TWO_THIRDS: (2, 3),
    ResignShare.THREE_QUARTERS: (3, 4),
    ResignShare.ALL: (1, 1),
}


class TallyTerms(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a side's ballots are counted.

    `resign` is the share of a side's ballots that resigns the match. None: nobody can resign.
    `draw_offers`: a ballot may ask for a draw.
    """

    tally_method: TallyMethod
    tie_rule: TieRule
    no_ballot_rule: NoBallotRule
    resign: ResignShare | None = None
    draw_offers: bool = False


class SideTally(msgspec.Struct, frozen=True, kw_only=True):
    """How a side voted.

    While sides are secret only `pick` is set: `counts` is empty, numbers are 0, the rest is null.

    Attributes:
        counts: Ballots per choice, choice 1 first. With approval, every choice of a ballot counts; with
            rankings, the first one.
        ballots: Number of ballots.
        pick: The side's move. Null: the side doesn't move.
        decided_by: How the pick was decided.
        root: Merkle root of the side's blinded ballots, as in `turn.sealed`.
        rounds: Counts of each round of a runoff. An eliminated choice has 0.
        resigning: Ballots that want to resign.
        draw_votes: Ballots that offer or accept a draw.
    """

    counts: tuple[Count, ...]
    ballots: Count
    pick: Column | None
    decided_by: Deciding | None
    root: Hash | None = None
    rounds: tuple[tuple[Count, ...], ...] | None = None
    resigning: Count = 0
    draw_votes: Count = 0


@dataclass(frozen=True, slots=True)
class SideBallots:
    """A side's ballots in the order in which they are listed and drawn from.

    `captain` is the index of the captain's ballot. `arrivals` are the indexes in order of arrival; None if
    the ballots are listed in that order.
    """

    side: Side
    ballots: Sequence[Ballot]
    captain: int | None = None
    arrivals: Sequence[int] | None = None


def decide(cast: SideBallots, legal: Sequence[int], columns: int, terms: TallyTerms, draw: Draw) -> SideTally:
    """Decide the side's pick. All ballots are for `legal` columns; `legal` is not empty. No `root` is set.

    If enough ballots ask to resign, nothing is picked.
    """
    ballots, captain, method = cast.ballots, cast.captain, find_method(terms.tally_method)
    if not ballots:
        return _decide_without_ballots((0,) * columns, legal, terms, draw)
    choices = [ballot.choice for ballot in ballots]
    alike = Counter(choices)
    decoded = {choice: method.decode(choice) for choice in alike}
    counts = method.count(((decoded[choice], number) for choice, number in alike.items()), columns)
    named = list(map(decoded.__getitem__, choices))
    of_captain = () if captain is None else named[captain]
    breaker = TieBreaker(terms.tie_rule, named, of_captain, draw, cast.arrivals)
    pick = method.pick(legal, counts, breaker)
    resigning = sum(number for choice, number in alike.items() if resigns(choice))
    if is_enough_to_resign(resigning, len(ballots), terms.resign):
        column, decided_by = None, "resign"
    else:
        column, decided_by = pick.column, pick.decided_by
    return SideTally(
        counts=counts,
        ballots=len(ballots),
        pick=column,
        decided_by=decided_by,
        rounds=pick.rounds or None,
        resigning=resigning,
        draw_votes=sum(number for choice, number in alike.items() if asks_for_draw(choice)),
    )


def is_enough_to_resign(resigning: int, ballots: int, share: ResignShare | None) -> bool:
    """Return whether `resigning` ballots of `ballots` reach the share that resigns the match."""
    if share is None or not resigning:
        return False
    part, whole = SHARES[share]
    return resigning * whole >= ballots * part


def _decide_without_ballots(counts: Counts, legal: Sequence[int], terms: TallyTerms, draw: Draw) -> SideTally:
    """Decide for a side with no votes by its rule. There is no quorum."""
    rule = terms.no_ballot_rule
    pick = legal[draw(len(legal))] if rule == NoBallotRule.RANDOM else None
    return SideTally(counts=counts, ballots=0, pick=pick, decided_by=rule)
