"""Organizer actions on a turn's time: pause, resume, extend, shorten, close.

Each action returns an ActionResult with the action that undoes it. All raise MatchError if the turn changed
concurrently (compare-and-set).
"""

from crowdgame.events.audit import ActionResult
from games.matches import MatchError
from games.models import Turn, TurnState
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.counting.window import Window
from voting.protocol import Action, Pressed
from voting.turns.early_close import end_window
from voting.turns.turns import change_turn, set_window

MIN_LEFT_MS = 3_000
MINUTE_S, HOUR_S = 60, 3600


def pause_turn(turn: Turn, box: BallotBox) -> ActionResult:
    """Pause an open turn. Keeps the remaining voting time and the remaining talk time.

    Raises MatchError if the turn is paused already or its time is up.
    """
    if turn.state != TurnState.OPEN:
        raise MatchError("The turn is already paused.")
    now = box.now()
    times = Window(turn.opens_at, turn.closes_at)
    left = times.left_ms(now)
    if left == 0:
        raise MatchError("Time is up. The votes are being counted.")
    held = {
        "left_ms": left,
        "talk_left_ms": window.talk_left_ms(times, now, turn.match.talk_s),
        "opens_at": now,
        "closes_at": now,
    }
    change_turn(turn, protocol.TurnPaused, box, state=TurnState.PAUSED, **held)
    return _turn_result(f"paused turn {turn.number}", turn, "turn.pause", "turn.resume")


def resume_turn(turn: Turn, box: BallotBox) -> ActionResult:
    """Resume a paused turn with the time that was left. Raises MatchError if it isn't paused."""
    if turn.state != TurnState.PAUSED:
        raise MatchError("The turn is not paused.")
    times = window.resume_window(box.now(), turn.left_ms or 0, turn.talk_left_ms)
    set_window(turn, protocol.TurnResumed, times, box)
    return _turn_result(f"resumed turn {turn.number}", turn, "turn.resume", "turn.pause")


def extend_turn(turn: Turn, seconds: int, box: BallotBox) -> ActionResult:
    """Extend a turn by `seconds`. A window whose time is up continues from now."""
    if turn.state == TurnState.PAUSED:
        left = (turn.left_ms or 0) + seconds * 1000
        change_turn(turn, protocol.TurnMoved, box, left_ms=left)
    else:
        times = window.extend_window(Window(turn.opens_at, turn.closes_at), box.now(), seconds)
        change_turn(turn, protocol.TurnMoved, box, closes_at=times.closes_at)
    return _turn_result(f"added {format_duration(seconds)}", turn, "turn.extend", "turn.shorten", seconds)


def shorten_turn(turn: Turn, seconds: int, box: BallotBox) -> ActionResult:
    """Shorten a turn by `seconds`. Raises MatchError if less than MIN_LEFT_MS would remain."""
    paused = turn.state == TurnState.PAUSED
    left = (turn.left_ms or 0) if paused else Window(turn.opens_at, turn.closes_at).left_ms(box.now())
    if left == 0:
        raise MatchError("Time is up. The votes are being counted.")
    less = seconds * 1000
    if left - less < MIN_LEFT_MS:
        raise MatchError("Less than 3 seconds would be left. Close the turn instead.")
    change = {"left_ms": left - less} if paused else {"closes_at": turn.closes_at - less}
    change_turn(turn, protocol.TurnMoved, box, **change)
    return _turn_result(f"removed {format_duration(seconds)}", turn, "turn.shorten", "turn.extend", seconds)


def close_turn_now(turn: Turn, box: BallotBox) -> ActionResult:
    """End the voting window now and count the votes.

    Raises MatchError if voting has not begun yet or its time is up.
    """
    end_window(turn, box)
    return _turn_result(f"closed turn {turn.number}", turn, "turn.close", "turn.void")


def _turn_result(
    what: str, turn: Turn, action: Action, undo: Action, seconds: int | None = None
) -> ActionResult:
    """Build the result of an action on a turn, with `undo` as its inverse."""
    pressed, opposite = (Pressed(action=one, turn=turn.pk, seconds=seconds) for one in (action, undo))
    return ActionResult(what, pressed, opposite)


def format_duration(seconds: int) -> str:
    """Format seconds in the largest unit that divides them: 10 s, 5 min, 24 h."""
    for unit, name in ((HOUR_S, "h"), (MINUTE_S, "min")):
        if seconds % unit == 0:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"
