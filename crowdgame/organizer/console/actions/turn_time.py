"""Organizer actions on a turn's time: pause, resume, extend, shorten, close, extra time for all turns.

All but the last raise MatchError if the turn changed concurrently (compare-and-set).
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.events.durations import format_duration
from crowdgame.organizer.console.actions.notices import ALREADY_DONE, update_event
from crowdgame.organizer.console.actions.registry import ActionResult, CurrentState, action, undone_by
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.counting import window
from voting.counting.window import Window
from voting.matches import MatchError
from voting.models import Turn, TurnState
from voting.protocol import Pressed
from voting.turns.early_close import end_window
from voting.turns.turns import change_turn, pause_fields, set_window

MIN_LEFT_MS = 3_000
MAX_EXTRA_S = 600
DEFAULT_STEP_S = 10
PAUSE_KEYS = {"P": "Pause or resume"}


def _is_live(pressed: Pressed, now: CurrentState, *paused: bool) -> bool:
    """Whether its turn is live, and paused or not as given."""
    turn = now.event.match.turn if now.event.match else None
    return turn is not None and turn.id == pressed.turn and (not paused or turn.paused in paused)


def _can_pause_again(pressed: Pressed, now: CurrentState) -> bool:
    match = now.event.match
    return match is not None and match.clocks is None and _is_live(pressed, now, False)


def can_void(pressed: Pressed, now: CurrentState) -> bool:
    """Whether its turn is the one closed last, and `turn.void` is still possible."""
    match, ends_at = now.event.match, now.event.ends_at
    if match is None or match.state == "aborted" or (ends_at is not None and now.at >= ends_at):
        return False
    if match.state == "ended" and (match.rated or match.max_side_changes):
        return False
    last = match.concealed or match.reveal
    return last is not None and last.turn == pressed.turn


@action("turn.pause", target="turn", label="Pause", done="Paused.", keys=PAUSE_KEYS, with_clocks=False)
@undone_by("turn.resume", lambda pressed, now: _is_live(pressed, now, True))
def pause_turn(turn: Turn, box: BallotBox) -> ActionResult:
    """Pause the turn. The remaining time to vote and to talk is kept.

    Raises MatchError if the turn is paused already or its time is up.
    """
    if turn.state != TurnState.OPEN:
        raise MatchError(_("The turn is already paused."))
    paused = pause_fields(turn, box.now())
    if paused["left_ms"] == 0:
        raise MatchError(_("Time is up. The votes are being counted."))
    change_turn(turn, protocol.TurnPaused, box, **paused)
    what = LogText(gettext_noop("%(by)s paused turn %(turn)s"), {"turn": turn.number})
    return ActionResult(what, {"turn": turn.pk})


@action("turn.resume", target="turn", label="Resume", done="Resumed.", keys=PAUSE_KEYS)
@undone_by("turn.pause", _can_pause_again)
def resume_turn(turn: Turn, box: BallotBox) -> ActionResult:
    """Resume the turn with the time that was left."""
    if turn.state != TurnState.PAUSED:
        raise MatchError(_("The turn is not paused."))
    times = window.resume_window(box.now(), turn.left_ms or 0, turn.talk_left_ms)
    set_window(turn, protocol.TurnResumed, times, box)
    what = LogText(gettext_noop("%(by)s resumed turn %(turn)s"), {"turn": turn.number})
    return ActionResult(what, {"turn": turn.pk})


@action(
    "turn.extend",
    target="turn",
    done="%(time)s added.",
    keys={"E": "A little more time", "Shift E": "More time"},
    with_clocks=False,
)
@undone_by("turn.shorten", _is_live, cumulative=True)
def extend_turn(turn: Turn, seconds: int | None, box: BallotBox) -> ActionResult:
    """Add time to the turn, 10 s without `seconds`.

    A window whose time is up continues from now.
    """
    seconds = seconds or DEFAULT_STEP_S
    if turn.state == TurnState.PAUSED:
        left = (turn.left_ms or 0) + seconds * 1000
        change_turn(turn, protocol.TurnMoved, box, left_ms=left)
    else:
        times = window.extend_window(Window(turn.opens_at, turn.closes_at), box.now(), seconds)
        change_turn(turn, protocol.TurnMoved, box, closes_at=times.closes_at)
    what = LogText(gettext_noop("%(by)s added %(duration)s"), {"duration": seconds})
    return ActionResult(what, {"turn": turn.pk, "seconds": seconds})


@action(
    "turn.shorten",
    target="turn",
    done="%(time)s removed.",
    keys={"S": "A little less time"},
    with_clocks=False,
)
@undone_by("turn.extend", _is_live, cumulative=True)
def shorten_turn(turn: Turn, seconds: int | None, box: BallotBox) -> ActionResult:
    """Take time from the turn, 10 s without `seconds`. At least 3 s must remain."""
    seconds = seconds or DEFAULT_STEP_S
    paused = turn.state == TurnState.PAUSED
    left = (turn.left_ms or 0) if paused else Window(turn.opens_at, turn.closes_at).left_ms(box.now())
    if left == 0:
        raise MatchError(_("Time is up. The votes are being counted."))
    less = seconds * 1000
    if left - less < MIN_LEFT_MS:
        raise MatchError(_("Less than 3 seconds would be left. Close the turn instead."))
    change = {"left_ms": left - less} if paused else {"closes_at": turn.closes_at - less}
    change_turn(turn, protocol.TurnMoved, box, **change)
    what = LogText(gettext_noop("%(by)s removed %(duration)s"), {"duration": seconds})
    return ActionResult(what, {"turn": turn.pk, "seconds": seconds})


@action(
    "turn.close",
    target="turn",
    label="Close now",
    done="Vote closed and counted.",
    keys={"C": "Close now"},
    with_clocks=False,
)
@undone_by("turn.void", can_void)
def close_turn_now(turn: Turn, box: BallotBox) -> ActionResult:
    """Close the window now and count.

    Raises MatchError if voting has not begun yet or its time is up.
    """
    end_window(turn, box)
    what = LogText(gettext_noop("%(by)s closed turn %(turn)s"), {"turn": turn.number})
    return ActionResult(what, {"turn": turn.pk})


@action("turn.extra_time", target="event", done="%(time)s more from the next turn on.")
@undone_by("turn.extra_time", lambda pressed, now: now.event.extra_s == (pressed.seconds or 0))
def set_extra_time(event_id: int, seconds: int | None, box: BallotBox) -> ActionResult:
    """Make every turn longer, from the next one on. Without `seconds`, turns have their usual length.

    For players who need longer to read or to tap. Raises MatchError above MAX_EXTRA_S, or if nothing changes.
    """
    extra_s = seconds or 0
    if extra_s > MAX_EXTRA_S:
        text = _("You can add at most %(duration)s per turn.")
        raise MatchError(text % {"duration": format_duration(MAX_EXTRA_S)})
    before = update_event(event_id, ALREADY_DONE, box, extra_s=extra_s).extra_s
    if extra_s:
        what = LogText(gettext_noop("%(by)s added %(duration)s to every turn"), {"duration": extra_s})
    else:
        what = LogText(gettext_noop("%(by)s removed the extra time per turn"))
    return ActionResult(what, {"seconds": extra_s or None}, undo={"seconds": before or None})
