"""Organizer actions on matches: start or abort one, and void its last turn."""

from contextlib import suppress

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from redis import RedisError

from crowdgame.console.actions.registry import ActionResult, CurrentState, action, undone_by
from crowdgame.events.audit_text import LogText
from crowdgame.ratings.models import RatedMatch
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.matches import (
    MatchError,
    abort_match,
    claim_turn,
    event_lock,
    live_turn,
    load_position,
    reopen_match,
)
from voting.models import CLOSED_STATES, Event, Match, Turn, TurnState
from voting.terms import MatchState
from voting.turns.side_change_store import backdate_side_changes
from voting.turns.turns import place_and_relay, plan_turn, start_match


@action("match.start", target="match", done="The match has started.")
@undone_by("match.abort", lambda start, now: _is_playing(start.match, now))
def start_next_match(event_id: int, box: BallotBox) -> ActionResult:
    """Start the next match."""
    number = start_match(event_id, box).number
    what = LogText(gettext_noop("%(by)s started match %(match)s"), {"match": number})
    return ActionResult(what, {"match": number}, undo={})


def _is_playing(number: int | None, now: CurrentState) -> bool:
    match = now.event.match
    return match is not None and match.state == "playing" and match.number == number


@action(
    "turn.void",
    target="turn",
    done="Turn taken back. Teams vote again.",
    confirm="Press again to confirm",
    keys={"U": "Take back the last turn (press twice)"},
)
def void_last_turn(event_id: int, turn_id: int | None, box: BallotBox) -> ActionResult:
    """Void the turn closed last. It is voted again.

    A concealed turn that was revealed together with it is voided too, because its votes are public now.
    `turn_id` is the id of the turn the organizer saw, or None. A late click can't void a later turn.
    Raises MatchError if another turn was closed meanwhile, or if no turn can be voided. Rated matches and
    ended matches with secret sides can't be changed.
    """
    now = box.now()
    with event_lock(event_id):
        last = _last_closed(event_id)
        if turn_id is not None and turn_id != last.pk:
            raise MatchError(_("Another turn has been revealed in the meantime. Nothing was taken back."))
        match = last.match
        if RatedMatch.objects.filter(match=match).exists():
            raise MatchError(_("This match is rated, so its turns can't be taken back."))
        if match.max_side_changes and match.state == MatchState.ENDED:
            raise MatchError(_("Sides have been revealed, so turns can't be taken back."))
        live = _void_live_turn(match)
        first = load_position(match).revealed_with_last if last.state == TurnState.RESOLVED else None
        first = first or last
        for turn in {first.pk: first, last.pk: last}.values():
            if not claim_turn(turn, state=TurnState.VOID):
                raise MatchError(_("The turn changed in the meantime. Check it and try again."))
        if match.state == MatchState.ENDED:
            reopen_match(match)
        Event.objects.filter(pk=event_id).update(next_match_at=None)
        backdate_side_changes(match, first.number)
        before = load_position(match)
        again = plan_turn(match, before.last, before.to_move, now, window.START_LEAD_MS)
        announce(event_id, protocol.TurnVoided, now)
    place_and_relay(again, box, create=True)
    _expire_box(live, box)
    what = LogText(gettext_noop("%(by)s took back turn %(turn)s"), {"turn": last.number})
    return ActionResult(what, {"turn": last.pk})


def _last_closed(event_id: int) -> Turn:
    turns = Turn.objects.filter(match__event_id=event_id).select_related("match")
    last = turns.filter(state__in=CLOSED_STATES).order_by("-match__number", "-number").first()
    latest = Match.objects.filter(event_id=event_id).order_by("-number").first()
    if last is None or last.match != latest or latest.state == MatchState.ABORTED:
        raise MatchError(_("There is no turn to take back."))
    return last


def _void_live_turn(match: Match) -> Turn | None:
    turn = live_turn(match)
    if turn and not claim_turn(turn, state=TurnState.VOID, left_ms=None):
        raise MatchError(_("The turn changed in the meantime. Check it and try again."))
    return turn


def _expire_box(turn: Turn | None, box: BallotBox) -> None:
    if turn:
        with suppress(RedisError):
            box.expire(turn.match.event_id, turn.pk)


@action(
    "match.abort",
    target="match",
    label="Abort the match",
    done="The match was aborted.",
    confirm="Press again to abort",
)
def abort_playing_match(event_id: int, box: BallotBox) -> ActionResult:
    """End the match without a result.

    Voids its live and concealed turns. Raises MatchError if no match is live.
    """
    now = box.now()
    with event_lock(event_id):
        match = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
        if match is None:
            raise MatchError(_("No match is live."))
        live = _void_live_turn(match)
        match.turns.filter(state=TurnState.CONCEALED).update(state=TurnState.VOID)
        abort_match(match, now)
        announce(event_id, protocol.MatchAborted, now)
    relay(event_id)
    _expire_box(live, box)
    return ActionResult(LogText(gettext_noop("%(by)s aborted match %(match)s"), {"match": match.number}))
