"""Start a match, close a turn, give a lost turn back: each once, whatever dies.

Attempts at least once, frozen input, a deterministic engine, one compare-and-set in the database.
"""

import logging
from dataclasses import dataclass
from random import Random
from typing import cast

from django.db import transaction
from redis import RedisError

from games.engine.errors import GameError
from games.engine.game import SIDES, Picks, Side
from games.matches import (
    MatchError,
    Position,
    claim_turn,
    create_match,
    create_turn,
    end_match,
    is_playing,
    position_of,
)
from games.models import EndedBy, Event, Lobby, Match, MatchResult, Turn, TurnState
from voting import protocol, window
from voting.announcements import announce, relay
from voting.archive import stored_ballots
from voting.ballot_box import BallotBox, BoxedTurn, Early, Lost
from voting.ballots import Ballot, merge_ballots, pack_ballots
from voting.models import TallyRecord
from voting.tally import Decision, TallyTerms, decide
from voting.window import Window

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A closed turn before it is written."""

    ballots: dict[Side, tuple[Ballot, ...]]
    decisions: dict[Side, Decision]
    picks: Picks
    result: str
    ended_by: EndedBy | None


def boxed(turn: Turn) -> BoxedTurn:
    return BoxedTurn(turn.match.event_id, turn.pk, turn.version, turn.epoch, turn.opens_at, turn.closes_at)


def load_turn(turn_id: int) -> Turn:
    return Turn.objects.select_related("match__event", "match__red", "match__yellow").get(pk=turn_id)


def start_match(event_id: int, box: BallotBox) -> Match:
    """Start the event's next match; the lobby opens with it. Raises MatchError."""
    now = box.now()
    with transaction.atomic():
        event = Event.objects.select_for_update().get(pk=event_id)
        match = create_match(event, now)
        first = window.open_window(now, window.START_LEAD_MS, match.window_s)
        turn = create_turn(match, 1, first.opens_at, first.closes_at)
        lobby = Lobby.OPEN if event.lobby == Lobby.CLOSED else event.lobby
        Event.objects.filter(pk=event_id).update(next_match_at=None, lobby=lobby)
        announce(event_id, protocol.MatchStarted, now)
    place_and_tell(turn, box, create=True)
    return match


def start_due_match(event_id: int, box: BallotBox) -> None:
    """Start the match whose time has come; of several clocks that ask, one starts it.

    One that cannot start is not due any more, even if nobody can be told.
    """
    now = box.now()
    due = Event.objects.filter(pk=event_id, next_match_at__lte=now)
    try:
        if due.exists():
            start_match(event_id, box)
    except (MatchError, GameError):
        if due.update(next_match_at=None):
            with transaction.atomic():
                announce(event_id, protocol.EventEdited, now)
            relay(event_id)


def close_turn(turn_id: int, box: BallotBox) -> None:
    """Seal, recount, decide, resolve, write and tell. Nothing happens before the deadline or twice."""
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN:
        return
    sealed = box.seal(boxed(turn))
    if isinstance(sealed, Early):
        return
    if isinstance(sealed, Lost):
        restore_turn(turn_id, box)
        return
    ballots = merge_ballots(sealed.ballots, stored_ballots(turn))
    following = _write(turn, _outcome(turn, ballots), box.now())
    if following:
        place_and_tell(following, box, create=True)
    relay(turn.match.event_id)
    if turn.state == TurnState.RESOLVED:
        box.expire(turn.match.event_id, turn.pk)


def restore_turn(turn_id: int, box: BallotBox) -> None:
    """Put a turn that the box lost back into it: phones send again, and get the time for it."""
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN or box.place(boxed(turn), create=False):
        return
    now = box.now()
    times = window.restore_window(Window(turn.opens_at, turn.closes_at), now, turn.match.window_s)
    with transaction.atomic():
        if not claim_turn(turn, closes_at=times.closes_at, epoch=turn.epoch + 1):
            return
        announce(turn.match.event_id, protocol.TurnRestored, now)
    box.place(boxed(turn), create=True)
    box.cast(boxed(turn), stored_ballots(turn))
    relay(turn.match.event_id)


def place_and_tell(turn: Turn, box: BallotBox, *, create: bool) -> None:
    """Bring box and screens up to what is committed. If the box is away, the clock does so soon."""
    try:
        box.place(boxed(turn), create=create)
    except RedisError as trouble:
        log.warning("turn %s waits for the ballot box: %s", turn.pk, trouble)
    relay(turn.match.event_id)


def _outcome(turn: Turn, ballots: tuple[Ballot, ...]) -> Outcome:
    position = position_of(turn.match)
    game, state = position.game, position.state
    by_side = {side: tuple(b for b in ballots if b.side == side) for side in game.to_move(state)}
    decisions = {side: _decide(turn, position, side, cast_) for side, cast_ in by_side.items()}
    forfeits = [side for side, decision in decisions.items() if decision.decided_by == "forfeit"]
    if forfeits:
        return Outcome(by_side, decisions, Picks(), _forfeited(forfeits), EndedBy.FORFEIT)
    picks = Picks(*(decisions[side].pick if side in decisions else None for side in SIDES))
    result = game.resolve(state, picks)[1].result
    return Outcome(by_side, decisions, picks, result, None if result == "open" else EndedBy.BOARD)


def _decide(turn: Turn, position: Position, side: Side, ballots: tuple[Ballot, ...]) -> Decision:
    game, state, match = position.game, position.state, turn.match
    terms = TallyTerms(match.tally_method, match.tie_rule, match.no_ballot_rule)  # type: ignore[arg-type]
    columns = game.view(state, side).columns
    rng = Random(f"{turn.seed}:{side}")  # noqa: S311  a lot that anyone can draw again
    return decide(ballots, game.legal_actions(state, side), columns, terms, rng)


def _forfeited(forfeits: list[Side]) -> str:
    if len(forfeits) == len(SIDES):
        return MatchResult.DRAW
    return MatchResult.YELLOW if forfeits == ["red"] else MatchResult.RED


def _write(turn: Turn, outcome: Outcome, now: int) -> Turn | None:
    """The one transaction of a turn; the next turn, if there is one and nobody else wrote first."""
    picks = outcome.picks
    with transaction.atomic():
        if not is_playing(turn.match) or not claim_turn(
            turn,
            state=TurnState.RESOLVED,
            red_pick=picks.red,
            yellow_pick=picks.yellow,
            resolved_at=now,
        ):
            return None
        for side, decision in outcome.decisions.items():
            _record_tally(turn, side, decision, outcome.ballots[side])
        following = None
        if outcome.ended_by:
            _end(turn.match, outcome, now)
        else:
            following = _next_turn(turn, now)
        announce(turn.match.event_id, protocol.TurnRevealed, now)
    return following


def _record_tally(turn: Turn, side: Side, decision: Decision, ballots: tuple[Ballot, ...]) -> None:
    TallyRecord.objects.create(
        turn=turn,
        side=side,
        counts=decision.counts,
        ballots=decision.ballots,
        pick=decision.pick,
        decided_by=decision.decided_by,
        sealed=pack_ballots(ballots),
    )


def _end(match: Match, outcome: Outcome, now: int) -> None:
    end_match(match, outcome.result, cast(str, outcome.ended_by), now)
    pause_s = match.event.next_match_after_s
    if pause_s is not None:
        next_at = now + (match.reveal_s + pause_s) * 1000
        Event.objects.filter(pk=match.event_id).update(next_match_at=next_at)


def _next_turn(turn: Turn, now: int) -> Turn:
    times = window.open_window(now, turn.match.reveal_s * 1000, turn.match.window_s)
    return create_turn(turn.match, turn.number + 1, times.opens_at, times.closes_at)
