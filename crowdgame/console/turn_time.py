"""An organizer holds the time of a turn: pause, resume, extend, shorten, close.

What the use cases return is what was done, and what takes it back.
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
    """What is left to talk is kept as well."""
    if turn.state != TurnState.OPEN:
        raise MatchError("It is paused already.")
    now = box.now()
    times = Window(turn.opens_at, turn.closes_at)
    left = times.left_ms(now)
    if left == 0:
        raise MatchError("Time is up: the turn is being counted.")
    held = {
        "left_ms": left,
        "talk_left_ms": window.talk_left_ms(times, now, turn.match.talk_s),
        "opens_at": now,
        "closes_at": now,
    }
    change_turn(turn, protocol.TurnPaused, box, state=TurnState.PAUSED, **held)
    return _turn_result(f"paused turn {turn.number}", turn, "turn.pause", "turn.resume")


def resume_turn(turn: Turn, box: BallotBox) -> ActionResult:
    if turn.state != TurnState.PAUSED:
        raise MatchError("It is not paused.")
    times = window.resume_window(box.now(), turn.left_ms or 0, turn.talk_left_ms)
    set_window(turn, protocol.TurnResumed, times, box)
    return _turn_result(f"let turn {turn.number} go on", turn, "turn.resume", "turn.pause")


def extend_turn(turn: Turn, seconds: int, box: BallotBox) -> ActionResult:
    if turn.state == TurnState.PAUSED:
        left = (turn.left_ms or 0) + seconds * 1000
        change_turn(turn, protocol.TurnMoved, box, left_ms=left)
    else:
        times = window.extend_window(Window(turn.opens_at, turn.closes_at), box.now(), seconds)
        change_turn(turn, protocol.TurnMoved, box, closes_at=times.closes_at)
    return _turn_result(f"added {format_duration(seconds)}", turn, "turn.extend", "turn.shorten", seconds)


def shorten_turn(turn: Turn, seconds: int, box: BallotBox) -> ActionResult:
    """Take time away, but leave enough to finish a press. Raises MatchError."""
    paused = turn.state == TurnState.PAUSED
    left = (turn.left_ms or 0) if paused else Window(turn.opens_at, turn.closes_at).left_ms(box.now())
    if left == 0:
        raise MatchError("Time is up: the turn is being counted.")
    less = seconds * 1000
    if left - less < MIN_LEFT_MS:
        raise MatchError("Less than 3 seconds would be left. Close the turn instead.")
    change = {"left_ms": left - less} if paused else {"closes_at": turn.closes_at - less}
    change_turn(turn, protocol.TurnMoved, box, **change)
    return _turn_result(f"took {format_duration(seconds)} away", turn, "turn.shorten", "turn.extend", seconds)


def close_turn_now(turn: Turn, box: BallotBox) -> ActionResult:
    """End the window at once and count. Raises MatchError unless people can vote now."""
    end_window(turn, box)
    return _turn_result(f"closed turn {turn.number}", turn, "turn.close", "turn.void")


def _turn_result(
    what: str, turn: Turn, action: Action, undo: Action, seconds: int | None = None
) -> ActionResult:
    """Something done to a turn, and the opposite of it."""
    pressed, opposite = (Pressed(action=one, turn=turn.pk, seconds=seconds) for one in (action, undo))
    return ActionResult(what, pressed, opposite)


def format_duration(seconds: int) -> str:
    """A time as one says it: 10 s, 5 min, 24 h."""
    for unit, name in ((HOUR_S, "h"), (MINUTE_S, "min")):
        if seconds % unit == 0:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"
