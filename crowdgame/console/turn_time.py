"""An organizer holds the time of a turn: pause, resume, extend, shorten, close.

What the use cases return is what was done, and what takes it back.
"""

from contextlib import suppress

from redis import RedisError

from crowdgame.console.hands import lacks_hands
from crowdgame.events.audit import Done
from games.matches import MatchError, Position, changing, claim_turn, position_of
from games.models import Turn, TurnState
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.counting.window import Window
from voting.protocol import Action, Pressed
from voting.turns.clocks import over_at
from voting.turns.closing import close_over, close_turn
from voting.turns.turns import change_turn, load_turn, place_turn, restore_turn

LEAST_LEFT_MS = 3_000
MINUTE_S, HOUR_S = 60, 3600


def pause_turn(turn: Turn, box: BallotBox) -> Done:
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
    return _done(f"paused turn {turn.number}", turn, "turn.pause", "turn.resume")


def resume_turn(turn: Turn, box: BallotBox) -> Done:
    if turn.state != TurnState.PAUSED:
        raise MatchError("It is not paused.")
    times = window.resume_window(box.now(), turn.left_ms or 0, turn.talk_left_ms)
    _give_window(turn, protocol.TurnResumed, times, box)
    return _done(f"let turn {turn.number} go on", turn, "turn.resume", "turn.pause")


def extend_turn(turn: Turn, seconds: int, box: BallotBox) -> Done:
    if turn.state == TurnState.PAUSED:
        left = (turn.left_ms or 0) + seconds * 1000
        change_turn(turn, protocol.TurnMoved, box, left_ms=left)
    else:
        times = window.extend_window(Window(turn.opens_at, turn.closes_at), box.now(), seconds)
        change_turn(turn, protocol.TurnMoved, box, closes_at=times.closes_at)
    return _done(f"added {spoken(seconds)}", turn, "turn.extend", "turn.shorten", seconds)


def shorten_turn(turn: Turn, seconds: int, box: BallotBox) -> Done:
    """Take time away, but leave enough to finish a press. Raises MatchError."""
    paused = turn.state == TurnState.PAUSED
    left = (turn.left_ms or 0) if paused else Window(turn.opens_at, turn.closes_at).left_ms(box.now())
    if left == 0:
        raise MatchError("Time is up: the turn is being counted.")
    less = seconds * 1000
    if left - less < LEAST_LEFT_MS:
        raise MatchError("Less than 3 seconds would be left. Close the turn instead.")
    change = {"left_ms": left - less} if paused else {"closes_at": turn.closes_at - less}
    change_turn(turn, protocol.TurnMoved, box, **change)
    return _done(f"took {spoken(seconds)} away", turn, "turn.shorten", "turn.extend", seconds)


def close_turn_now(turn: Turn, box: BallotBox) -> Done:
    """End the window at once and count. Raises MatchError unless people can vote now."""
    now = box.now()
    if turn.state == TurnState.OPEN and now < turn.opens_at:
        raise MatchError("Nobody could vote yet: the turn has not begun.")
    if turn.state == TurnState.OPEN and now >= turn.closes_at:
        raise MatchError("Time is up: the turn is being counted.")
    times = window.close_window(Window(turn.opens_at, turn.closes_at), now)
    _give_window(turn, protocol.TurnMoved, times, box)
    with suppress(RedisError):  # the clock counts it then
        close_turn(turn.pk, box)
    return _done(f"closed turn {turn.number}", turn, "turn.close", "turn.void")


def close_turn_early(turn_id: int, closes_at: int, box: BallotBox) -> None:
    """Everyone connected has voted: end the window, if it is still the one they voted in.

    A team that votes by a show of hands has voted once its hands are counted.
    """
    turn = load_turn(turn_id)
    if turn.state != TurnState.OPEN:
        return
    known = (turn.match.event_id, turn.pk, turn.version)
    if turn.opens_at <= box.now() and box.doubtful([known]):
        restore_turn(turn_id, box)  # a gateway that could not find it says so in this way
    if turn.match.bank_s is not None:
        follow_clocks(turn, box)
        return
    same = turn.closes_at == closes_at
    if same and turn.match.close_early and box.now() < closes_at and not lacks_hands(turn):
        with suppress(MatchError):
            close_turn_now(turn, box)


def follow_clocks(turn: Turn, box: BallotBox) -> None:
    """Somebody has picked in a match by clocks: the turn is over, or its deadline is another one now."""
    position = position_of(turn.match, before=turn)
    over = over_at(turn, position, box)
    with suppress(MatchError):
        if over <= box.now():
            _end_unannounced(turn, position, box)
        elif over != turn.closes_at:
            change_turn(turn, protocol.TurnMoved, box, closes_at=over)


def _end_unannounced(turn: Turn, position: Position, box: BallotBox) -> None:
    """Everybody sees that all clocks stand: what there is to be told is the reveal."""
    with changing(turn.match.event_id):
        if not claim_turn(turn, closes_at=max(turn.opens_at, box.now())):
            return
    place_turn(turn, box, create=False)
    close_over(turn, position, box)


def _give_window(turn: Turn, kind: type[protocol.Change], times: Window, box: BallotBox) -> None:
    """The turn has this window from now on, even if it was paused before."""
    change_turn(
        turn,
        kind,
        box,
        state=TurnState.OPEN,
        left_ms=None,
        talk_left_ms=0,
        opens_at=times.opens_at,
        closes_at=times.closes_at,
    )


def _done(what: str, turn: Turn, action: Action, undo: Action, seconds: int | None = None) -> Done:
    """Something done to a turn, and the opposite of it."""
    pressed, opposite = (Pressed(action=one, turn=turn.pk, seconds=seconds) for one in (action, undo))
    return Done(what, pressed, opposite)


def spoken(seconds: int) -> str:
    """A time as one says it: 10 s, 5 min, 24 h."""
    for unit, name in ((HOUR_S, "h"), (MINUTE_S, "min")):
        if seconds % unit == 0:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"
