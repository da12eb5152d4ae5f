"""Organizer actions on an event and its running match.

Actions are announced to all clients and return an ActionResult, with an undo action where there is one.
State changes are conditional updates or compare-and-set claims under the event lock. So two organizers who
do the same at once don't do it twice.
"""

from collections.abc import Callable
from contextlib import suppress

from redis import RedisError

from crowdgame.console.captains import set_captain
from crowdgame.console.extra_time import set_extra_time
from crowdgame.console.hands import count_hands
from crowdgame.console.notices import clear_notice, hide_part, show_notice, show_part
from crowdgame.console.people import admit_voter, ban_voter, kick_voter, move_voter
from crowdgame.console.turn_time import close_turn_now, extend_turn, pause_turn, resume_turn, shorten_turn
from crowdgame.events.audit import ActionResult
from crowdgame.ratings.models import RatedMatch
from games.matches import (
    MatchError,
    abort_match,
    claim_turn,
    event_lock,
    live_turn,
    load_position,
    reopen_match,
)
from games.models import CLOSED_STATES, LIVE_STATES, Event, Lobby, Match, MatchState, Turn, TurnState
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.protocol import Action, ActionAsk, Pressed
from voting.turns.side_change_store import backdate_side_changes
from voting.turns.turns import load_turn, place_and_relay, plan_turn, start_match

DEFAULT_STEP_S = 10
LOCK, UNLOCK = Pressed(action="joining.lock"), Pressed(action="joining.unlock")

EVENT_ACTIONS: dict[Action, Callable[[int, ActionAsk, BallotBox], ActionResult]] = {
    "lobby.open": lambda event_id, _, box: open_lobby(event_id, box),
    "joining.lock": lambda event_id, _, box: lock_joining(event_id, box),
    "joining.unlock": lambda event_id, _, box: open_lobby(event_id, box),
    "match.start": lambda event_id, _, box: start_next_match(event_id, box),
    "match.abort": lambda event_id, _, box: abort_playing_match(event_id, box),
    "turn.void": lambda event_id, ask, box: void_last_turn(event_id, ask.turn, box),
    "turn.extra_time": lambda event_id, ask, box: set_extra_time(event_id, ask.seconds, box),
    "notice.show": lambda event_id, ask, box: show_notice(event_id, ask.text, box),
    "notice.clear": lambda event_id, _, box: clear_notice(event_id, box),
    "part.hide": lambda event_id, ask, box: hide_part(event_id, ask.part, box),
    "part.show": lambda event_id, ask, box: show_part(event_id, ask.part, box),
    "voter.move": lambda event_id, ask, box: move_voter(event_id, ask.voter_code, ask.team, box),
    "voter.kick": lambda event_id, ask, box: kick_voter(event_id, ask.voter_code, box),
    "voter.ban": lambda event_id, ask, box: ban_voter(event_id, ask.voter_code, box),
    "voter.admit": lambda event_id, ask, box: admit_voter(event_id, ask.voter_code, box),
    "voter.captain": lambda event_id, ask, box: set_captain(event_id, ask.voter_code, ask.team, box),
}
TURN_ACTIONS: dict[Action, Callable[[Turn, ActionAsk, BallotBox], ActionResult]] = {
    "turn.pause": lambda turn, _, box: pause_turn(turn, box),
    "turn.resume": lambda turn, _, box: resume_turn(turn, box),
    "turn.extend": lambda turn, ask, box: extend_turn(turn, ask.seconds or DEFAULT_STEP_S, box),
    "turn.shorten": lambda turn, ask, box: shorten_turn(turn, ask.seconds or DEFAULT_STEP_S, box),
    "turn.close": lambda turn, _, box: close_turn_now(turn, box),
    "hands.count": count_hands,
}


def run_action(event_id: int, ask: ActionAsk, box: BallotBox) -> ActionResult:
    """Dispatch the requested action. Raises MatchError if it isn't possible now."""
    if ask.action in EVENT_ACTIONS:
        return EVENT_ACTIONS[ask.action](event_id, ask, box)
    return TURN_ACTIONS[ask.action](_require_turn(event_id, ask), ask, box)


def _require_turn(event_id: int, ask: ActionAsk) -> Turn:
    playing = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
    live = live_turn(playing) if playing else None
    if live is None:
        raise MatchError("No turn is live.")
    turn = load_turn(live.pk)
    if ask.turn not in {None, turn.pk} or turn.state not in LIVE_STATES:
        raise MatchError("That turn has already ended.")
    if turn.match.bank_s is not None:
        raise MatchError("This match runs on the players' clocks. Its turns can't be controlled here.")
    return turn


def open_lobby(event_id: int, box: BallotBox) -> ActionResult:
    """Open the lobby, or unlock joining. Raises MatchError if it is open already."""
    locked = Event.objects.filter(pk=event_id, lobby=Lobby.LOCKED).exists()
    _set_lobby(event_id, Lobby.OPEN, protocol.JoiningUnlocked if locked else protocol.LobbyOpened, box)
    if locked:
        return ActionResult("unlocked joining", UNLOCK, LOCK)
    return ActionResult("opened the lobby", Pressed(action="lobby.open"))


def lock_joining(event_id: int, box: BallotBox) -> ActionResult:
    """Stop new voters from joining. Raises MatchError if joining is locked already."""
    _set_lobby(event_id, Lobby.LOCKED, protocol.JoiningLocked, box)
    return ActionResult("locked joining", LOCK, UNLOCK)


def _set_lobby(event_id: int, lobby: Lobby, kind: type[protocol.Change], box: BallotBox) -> None:
    now = box.now()
    with event_lock(event_id):
        changed = Event.objects.filter(pk=event_id).exclude(lobby=lobby).update(lobby=lobby)
        if not changed:
            raise MatchError("Already done.")
        announce(event_id, kind, now)
    relay(event_id)


def start_next_match(event_id: int, box: BallotBox) -> ActionResult:
    """Start the event's next match. Raises MatchError if that isn't possible now."""
    number = start_match(event_id, box).number
    what = f"started match {number}"
    return ActionResult(what, Pressed(action="match.start", match=number), Pressed(action="match.abort"))


def void_last_turn(event_id: int, asked: int | None, box: BallotBox) -> ActionResult:
    """Void the last closed turn. Its match continues from the position before it.

    A concealed turn that was revealed together with it is voided too, because its votes are public now.
    `asked` is the id of the turn the organizer saw, or None. A late click can't void a later turn.
    Raises MatchError if another turn was closed meanwhile, or if no turn can be voided. Rated matches and
    ended matches with secret sides can't be changed.
    """
    now = box.now()
    with event_lock(event_id):
        last = _last_closed(event_id)
        if asked is not None and asked != last.pk:
            raise MatchError("Another turn has been revealed in the meantime. Nothing was taken back.")
        match = last.match
        if RatedMatch.objects.filter(match=match).exists():
            raise MatchError("This match is rated, so its turns can't be taken back.")
        if match.max_side_changes and match.state == MatchState.ENDED:
            raise MatchError("Sides have been revealed, so turns can't be taken back.")
        live = _void_live_turn(match)
        first = load_position(match).revealed_with_last if last.state == TurnState.RESOLVED else None
        first = first or last
        for turn in {first.pk: first, last.pk: last}.values():
            if not claim_turn(turn, state=TurnState.VOID):
                raise MatchError("The turn changed in the meantime. Check it and try again.")
        if match.state == MatchState.ENDED:
            reopen_match(match)
        Event.objects.filter(pk=event_id).update(next_match_at=None)
        backdate_side_changes(match, first.number)
        before = load_position(match)
        again = plan_turn(match, before.last, before.to_move, now, window.START_LEAD_MS)
        announce(event_id, protocol.TurnVoided, now)
    place_and_relay(again, box, create=True)
    _expire_box(live, box)
    return ActionResult(f"took back turn {last.number}", Pressed(action="turn.void", turn=last.pk))


def _last_closed(event_id: int) -> Turn:
    turns = Turn.objects.filter(match__event_id=event_id).select_related("match")
    last = turns.filter(state__in=CLOSED_STATES).order_by("-match__number", "-number").first()
    latest = Match.objects.filter(event_id=event_id).order_by("-number").first()
    if last is None or last.match != latest or latest.state == MatchState.ABORTED:
        raise MatchError("There is no turn to take back.")
    return last


def _void_live_turn(match: Match) -> Turn | None:
    turn = live_turn(match)
    if turn and not claim_turn(turn, state=TurnState.VOID, left_ms=None):
        raise MatchError("The turn changed in the meantime. Check it and try again.")
    return turn


def _expire_box(turn: Turn | None, box: BallotBox) -> None:
    if turn:
        with suppress(RedisError):
            box.expire(turn.match.event_id, turn.pk)


def abort_playing_match(event_id: int, box: BallotBox) -> ActionResult:
    """Abort the live match and void its live and concealed turns. Raises MatchError if none is live."""
    now = box.now()
    with event_lock(event_id):
        match = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
        if match is None:
            raise MatchError("No match is live.")
        live = _void_live_turn(match)
        match.turns.filter(state=TurnState.CONCEALED).update(state=TurnState.VOID)
        abort_match(match, now)
        announce(event_id, protocol.MatchAborted, now)
    relay(event_id)
    _expire_box(live, box)
    return ActionResult(f"aborted match {match.number}", Pressed(action="match.abort"))
