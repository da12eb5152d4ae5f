"""Decide the outcome of a turn from its sealed ballots: decisions, picks, forfeit or resignation, result."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from msgspec import convert
from msgspec.structs import replace

from games.engine.game import SIDES, Picks, Resolution, Side, other_side
from voting.counting.ballots import Ballot
from voting.counting.commitments import SortedBallots, draw_lot, mix_seed
from voting.counting.draw_offers import DrawOffers, wants_draw
from voting.counting.methods import Deciding
from voting.counting.tally import SideBallots, SideTally, TallyTerms, decide
from voting.counting.ties import Draw
from voting.counting.voter_codes import derive_voter_code
from voting.models import MatchResult, Turn
from voting.positions import Position
from voting.terms import Ending, NoBallotRule, TieRule
from voting.turns.clocks import out_of_time

LOSING_DECISIONS: tuple[Deciding, ...] = ("forfeit", "resign")


@dataclass(frozen=True, slots=True)
class TurnOutcome:
    """A closed turn before it is written: it led from the position `before` to the state `after`.

    `captains` are the indexes of the captains' ballots. If `is_concealed`, the turn is revealed together with
    a later one. `to_move` are the sides that vote in the next turn, empty if there is none.
    `draw_offered_by` is the side whose draw offer then stands. `bots` are the sides that the computer plays.
    """

    before: Position
    ballots: dict[Side, Sequence[Ballot]]
    captains: dict[Side, int | None]
    decisions: dict[Side, SideTally]
    picks: Picks
    after: Any
    resolution: Resolution
    result: str
    ended_by: Ending | None
    is_concealed: bool = False
    to_move: tuple[Side, ...] = ()
    draw_offered_by: str = ""
    bots: Collection[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no person voted."""
        return not any(ballots for side, ballots in self.ballots.items() if side not in self.bots)


def ballots_by_side(position: Position, ballots: Sequence[Ballot]) -> dict[Side, Sequence[Ballot]]:
    """Group the ballots by side to move, in the given order."""
    return {side: [ballot for ballot in ballots if ballot.side == side] for side in position.to_move}


def decide_outcome(
    turn: Turn, position: Position, by_side: dict[Side, SortedBallots], deserted: Side | None = None
) -> TurnOutcome:
    """Decide the turn from each side's ballots. Deterministic.

    A `deserted` side has lost, and the picks are not played.
    """
    game, state = position.game, position.state
    listed = {side: cast.ballots for side, cast in by_side.items()}
    rules = _no_ballot_rules(turn, position, [side for side, ballots in listed.items() if ballots])
    captains = {side: captain_index(turn, side, ballots) for side, ballots in listed.items()}
    mixed = mix_seed(
        turn.seed, turn.draws_version, {side: cast.commitment.root for side, cast in by_side.items()}
    )
    decisions = {
        side: _decide(
            turn,
            position,
            SideBallots(side, cast.ballots, captains[side], cast.arrivals),
            rules[side],
            partial(draw_lot, mixed, side),
        )
        for side, cast in by_side.items()
    }
    decided = partial(TurnOutcome, position, listed, captains, decisions, bots=turn.match.bots or ())
    if deserted:
        return decided(Picks(), *game.resolve(state, Picks()), other_side(deserted), Ending.DESERTED)
    if lost := [side for side, decision in decisions.items() if decision.decided_by in LOSING_DECISIONS]:
        ended_by = _ended_by(turn, {decisions[side].decided_by for side in lost})
        return decided(Picks(), *game.resolve(state, Picks()), _result_when_lost(lost), ended_by)
    picks = Picks(*(decisions[side].pick if side in decisions else None for side in SIDES))
    after, resolution = game.resolve(state, picks)
    result = resolution.result
    ends = None if result == "open" else Ending.BOARD
    offers = _settle_draw_offers(turn, position, decisions) if turn.match.draw_offers else DrawOffers()
    if offers.is_agreed and not ends:
        result, ends = "draw", Ending.AGREED
    is_concealed = ends is None and position.vote == "concealed"
    return decided(
        picks, after, resolution, result, ends, is_concealed, game.to_move(after), offers.standing or ""
    )


def _settle_draw_offers(turn: Turn, position: Position, decisions: dict[Side, SideTally]) -> DrawOffers:
    record = position.concealed.tallies.get() if position.concealed else None
    concealed = cast(Side, record.side) if record and wants_draw(record.draw_votes, record.ballots) else None
    before = DrawOffers(cast(Side, turn.draw_offered_by) or None, concealed)
    wishes = {side: wants_draw(tally.draw_votes, tally.ballots) for side, tally in decisions.items()}
    return before.after(wishes, is_concealed=position.vote == "concealed")


def _no_ballot_rules(turn: Turn, position: Position, picked: list[Side]) -> dict[Side, str]:
    """Return the rule for each side without a ballot.

    In a match with clocks where running out of time loses, only a side that ran out of time forfeits.
    """
    rule = turn.match.no_ballot_rule
    if turn.match.bank_s is None or rule != NoBallotRule.FORFEIT:
        return dict.fromkeys(SIDES, rule)
    out = out_of_time(turn, position, picked)
    # Nobody is out of time if an organizer closed the window.
    others = NoBallotRule.PASS if out else NoBallotRule.RANDOM
    return {side: rule if side in out else others for side in SIDES}


def _decide(turn: Turn, position: Position, cast: SideBallots, no_ballot: str, draw: Draw) -> SideTally:
    game, state, match = position.game, position.state, turn.match
    terms = replace(convert(match, TallyTerms, from_attributes=True), no_ballot_rule=no_ballot)
    columns = game.view(state, cast.side).columns
    legal = game.legal_actions(state, cast.side)
    return decide(cast, legal, columns, terms, draw)


def captain_index(turn: Turn, side: Side, ballots: Sequence[Ballot]) -> int | None:
    """Return the index of the captain's ballot, or None unless the captain breaks ties and has voted."""
    voter_code = getattr(turn, f"{side}_captain")
    if turn.match.tie_rule != TieRule.CAPTAIN or not voter_code:
        return None
    return next(
        (index for index, ballot in enumerate(ballots) if derive_voter_code(ballot.voter) == voter_code), None
    )


def _result_when_lost(lost: list[Side]) -> str:
    if len(lost) == len(SIDES):
        return MatchResult.DRAW
    return MatchResult.YELLOW if lost == ["red"] else MatchResult.RED


def _ended_by(turn: Turn, why: set[Deciding | None]) -> Ending:
    """If one side resigned and the other forfeited, report the forfeit."""
    if "forfeit" not in why:
        return Ending.RESIGN
    return Ending.FORFEIT if turn.match.bank_s is None else Ending.TIME
