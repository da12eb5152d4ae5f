"""What an organizer does to an event and its running match, each once and told to everyone."""

from contextlib import suppress
from typing import Any

from redis import RedisError

from games.matches import (
    MatchError,
    abort_match,
    changing,
    claim_turn,
    create_turn,
    live_turn,
    reopen_match,
)
from games.models import LIVE_STATES, Event, Lobby, Match, MatchState, Turn, TurnState
from voting import protocol, window
from voting.announcements import announce, relay
from voting.ballot_box import BallotBox
from voting.turns import close_turn, load_turn, place_and_tell, start_match
from voting.window import Window


def act(event_id: int, ask: protocol.ActionAsk, box: BallotBox) -> None:
    """Do what was pressed. Raises MatchError when it cannot be done now."""
    match ask.action:
        case "lobby.open" | "joining.unlock":
            open_lobby(event_id, box)
        case "joining.lock":
            lock_joining(event_id, box)
        case "match.start":
            start_match(event_id, box)
        case "match.abort":
            abort_playing_match(event_id, box)
        case "turn.void":
            void_last_turn(event_id, ask.turn, box)
        case _:
            _act_on_turn(_asked_turn(event_id, ask), ask, box)


def _act_on_turn(turn: Turn, ask: protocol.ActionAsk, box: BallotBox) -> None:
    match ask.action:
        case "turn.pause":
            pause_turn(turn, box)
        case "turn.resume":
            resume_turn(turn, box)
        case "turn.extend":
            extend_turn(turn, ask.seconds or 10, box)
        case "turn.close":
            close_turn_now(turn, box)


def _asked_turn(event_id: int, ask: protocol.ActionAsk) -> Turn:
    playing = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
    live = live_turn(playing) if playing else None
    if live is None:
        raise MatchError("No turn is open.")
    turn = load_turn(live.pk)
    if ask.turn not in {None, turn.pk} or turn.state not in LIVE_STATES:
        raise MatchError("That turn is over already.")
    return turn


def open_lobby(event_id: int, box: BallotBox) -> None:
    """Let people in: the doors open, or open again."""
    locked = Event.objects.filter(pk=event_id, lobby=Lobby.LOCKED).exists()
    _set_lobby(event_id, Lobby.OPEN, protocol.JoiningUnlocked if locked else protocol.LobbyOpened, box)


def lock_joining(event_id: int, box: BallotBox) -> None:
    _set_lobby(event_id, Lobby.LOCKED, protocol.JoiningLocked, box)


def _set_lobby(event_id: int, lobby: Lobby, kind: type[protocol.Change], box: BallotBox) -> None:
    now = box.now()
    with changing(event_id):
        changed = Event.objects.filter(pk=event_id).exclude(lobby=lobby).update(lobby=lobby)
        if not changed:
            raise MatchError("It is so already.")
        announce(event_id, kind, now)
    relay(event_id)


def edit_event(event_id: int, box: BallotBox) -> None:
    """Tell everyone that a name or a setting changed."""
    now = box.now()
    with changing(event_id):
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


def pause_turn(turn: Turn, box: BallotBox) -> None:
    if turn.state != TurnState.OPEN:
        raise MatchError("It is paused already.")
    now = box.now()
    left = Window(turn.opens_at, turn.closes_at).left_ms(now)
    if left == 0:
        raise MatchError("Time is up: the turn is being counted.")
    times = {"opens_at": now, "closes_at": now}
    _change_turn(turn, protocol.TurnPaused, box, state=TurnState.PAUSED, left_ms=left, **times)


def resume_turn(turn: Turn, box: BallotBox) -> None:
    if turn.state != TurnState.PAUSED:
        raise MatchError("It is not paused.")
    times = window.resume_window(box.now(), turn.left_ms or 0)
    _change_turn(
        turn,
        protocol.TurnResumed,
        box,
        state=TurnState.OPEN,
        left_ms=None,
        opens_at=times.opens_at,
        closes_at=times.closes_at,
    )


def extend_turn(turn: Turn, seconds: int, box: BallotBox) -> None:
    if turn.state == TurnState.PAUSED:
        left = (turn.left_ms or 0) + seconds * 1000
        _change_turn(turn, protocol.TurnMoved, box, left_ms=left)
        return
    times = window.extend_window(Window(turn.opens_at, turn.closes_at), box.now(), seconds)
    _change_turn(turn, protocol.TurnMoved, box, closes_at=times.closes_at)


def close_turn_now(turn: Turn, box: BallotBox) -> None:
    """End the window at once and count. Raises MatchError unless people can vote now."""
    now = box.now()
    if turn.state == TurnState.OPEN and now < turn.opens_at:
        raise MatchError("Nobody could vote yet: the turn has not begun.")
    if turn.state == TurnState.OPEN and now >= turn.closes_at:
        raise MatchError("Time is up: the turn is being counted.")
    times = window.close_window(Window(turn.opens_at, turn.closes_at), now)
    _change_turn(
        turn,
        protocol.TurnMoved,
        box,
        state=TurnState.OPEN,
        left_ms=None,
        opens_at=times.opens_at,
        closes_at=times.closes_at,
    )
    with suppress(RedisError):  # the clock counts it then
        close_turn(turn.pk, box)


def close_turn_early(turn_id: int, closes_at: int, box: BallotBox) -> None:
    """Everyone connected has voted: end the window, if it is still the one they voted in."""
    turn = load_turn(turn_id)
    same = turn.state == TurnState.OPEN and turn.closes_at == closes_at
    if same and turn.match.close_early and box.now() < closes_at:
        with suppress(MatchError):
            close_turn_now(turn, box)


def void_last_turn(event_id: int, asked: int | None, box: BallotBox) -> None:
    """The turn resolved last does not count: its match goes on from before it.

    `asked` is the turn that was meant, if that was said: a late press hits no later turn.
    """
    now = box.now()
    with changing(event_id):
        last = _last_resolved(event_id)
        if asked is not None and asked != last.pk:
            raise MatchError("Another turn was revealed meanwhile.")
        match = last.match
        live = _void_live_turn(match)
        if not claim_turn(last, state=TurnState.VOID):
            raise MatchError("Somebody else was faster.")
        if match.state == MatchState.ENDED:
            reopen_match(match)
        Event.objects.filter(pk=event_id).update(next_match_at=None)
        times = window.open_window(now, window.START_LEAD_MS, match.window_s)
        again = create_turn(match, last.number, times.opens_at, times.closes_at)
        announce(event_id, protocol.TurnVoided, now)
    place_and_tell(again, box, create=True)
    _let_go(live, box)


def _last_resolved(event_id: int) -> Turn:
    turns = Turn.objects.filter(match__event_id=event_id).select_related("match")
    last = turns.filter(state=TurnState.RESOLVED).order_by("-match__number", "-number").first()
    latest = Match.objects.filter(event_id=event_id).order_by("-number").first()
    if last is None or last.match != latest or latest.state == MatchState.ABORTED:
        raise MatchError("There is no turn to take back.")
    return last


def _void_live_turn(match: Match) -> Turn | None:
    turn = live_turn(match)
    if turn and not claim_turn(turn, state=TurnState.VOID, left_ms=None):
        raise MatchError("Somebody else was faster.")
    return turn


def _let_go(turn: Turn | None, box: BallotBox) -> None:
    if turn:
        with suppress(RedisError):
            box.expire(turn.match.event_id, turn.pk)


def abort_playing_match(event_id: int, box: BallotBox) -> None:
    now = box.now()
    with changing(event_id):
        match = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
        if match is None:
            raise MatchError("No match is playing.")
        live = _void_live_turn(match)
        abort_match(match, now)
        announce(event_id, protocol.MatchAborted, now)
    relay(event_id)
    _let_go(live, box)


def _change_turn(turn: Turn, kind: type[protocol.Change], box: BallotBox, **changes: Any) -> None:
    now = box.now()
    with changing(turn.match.event_id):
        if not claim_turn(turn, **changes):
            raise MatchError("Somebody else was faster.")
        announce(turn.match.event_id, kind, now)
    place_and_tell(turn, box, create=False)
