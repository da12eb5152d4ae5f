"""Organizer actions on a reveal: start it, open the turn after it, show it longer, or shorter again.

The next window moves with its end.
"""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, CurrentState, action, undone_by
from crowdgame.organizer.console.actions.turn_time import DEFAULT_STEP_S, can_void
from voting import protocol
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.window import RESUME_LEAD_MS, Window, resume_window, shift_window
from voting.matches import MatchError
from voting.models import Turn, TurnState
from voting.protocol import Pressed
from voting.turns.host_steps import reveal_turn
from voting.turns.turns import change_turn

NEXT_STEP_KEY = {"Space": "Next step"}


def _is_revealing(pressed: Pressed, now: CurrentState) -> bool:
    match = now.event.match
    turn = match.turn if match else None
    if match is None or turn is None or turn.paused or turn.id != pressed.turn:
        return False
    return now.at < turn.opens_at - turn.talk_ms


@action(
    "reveal.start",
    target="turn",
    label="Start the reveal",
    done="The reveal has started.",
    keys=NEXT_STEP_KEY,
    with_clocks=False,
)
@undone_by("turn.void", can_void)
def start_reveal(turn: Turn, box: BallotBox) -> ActionResult:
    """Start the reveal of a turn that waits for the host. Raises MatchError if none waits."""
    reveal_turn(turn.pk, box)
    what = LogText(gettext_noop("%(by)s started the reveal of turn %(turn)s"), {"turn": turn.number})
    return ActionResult(what, {"turn": turn.pk})


@action(
    "turn.open",
    target="turn",
    label="Open the next turn",
    done="The next turn opens.",
    keys=NEXT_STEP_KEY,
    with_clocks=False,
)
def open_turn(turn: Turn, box: BallotBox) -> ActionResult:
    """Open the next turn, or the talk before it, once the reveal is over. Raises MatchError before."""
    now = box.now()
    left_ms = _reveal_left_ms(turn, now)
    match = load_snapshot(turn.match.event).match
    if match is None or match.reveal is None or now < match.reveal.resolved_at + match.reveal.steps.over:
        raise MatchError(_("The reveal is not over yet."))
    if left_ms <= RESUME_LEAD_MS:
        raise MatchError(_("The next turn is opening."))
    times = resume_window(now, turn.closes_at - turn.opens_at, turn.talk_left_ms)
    change_turn(turn, protocol.TurnMoved, box, opens_at=times.opens_at, closes_at=times.closes_at)
    what = LogText(gettext_noop("%(by)s opened turn %(turn)s"), {"turn": turn.number})
    return ActionResult(what, {"turn": turn.pk})


@action(
    "reveal.extend",
    target="turn",
    label="Reveal +10\u00a0s",
    done="The reveal lasts %(time)s longer.",
    keys={"R": "A longer reveal"},
    with_clocks=False,
)
@undone_by("reveal.shorten", _is_revealing, cumulative=True)
def extend_reveal(turn: Turn, seconds: int | None, box: BallotBox) -> ActionResult:
    """Show the reveal longer, 10 s without `seconds`. The next turn opens that much later."""
    seconds = seconds or DEFAULT_STEP_S
    _reveal_left_ms(turn, box.now())
    _move_window(turn, seconds * 1000, box)
    message = gettext_noop("%(by)s extended the reveal of turn %(turn)s by %(duration)s")
    return _result(message, turn, seconds)


@action("reveal.shorten", target="turn", done="The reveal lasts %(time)s less.", with_clocks=False)
@undone_by("reveal.extend", _is_revealing, cumulative=True)
def shorten_reveal(turn: Turn, seconds: int | None, box: BallotBox) -> ActionResult:
    """Show the reveal shorter, 10 s without `seconds`. It lasts at least one more second.

    Raises MatchError if that leaves no whole second to remove.
    """
    left_s = (_reveal_left_ms(turn, box.now()) - RESUME_LEAD_MS) // 1000
    if left_s <= 0:
        raise MatchError(_("The next turn is opening."))
    seconds = min(seconds or DEFAULT_STEP_S, left_s)
    _move_window(turn, -seconds * 1000, box)
    message = gettext_noop("%(by)s shortened the reveal of turn %(turn)s by %(duration)s")
    return _result(message, turn, seconds)


def _reveal_left_ms(turn: Turn, now: int) -> int:
    """Return the time until the next window or the talk before it. Raises MatchError if it is over."""
    left = turn.opens_at - turn.talk_left_ms - now
    revealed = turn.match.turns.filter(number=turn.number - 1, state=TurnState.RESOLVED).exists()
    if turn.state != TurnState.OPEN or left <= 0 or not revealed:
        raise MatchError(_("No reveal is being shown."))
    return left


def _move_window(turn: Turn, ms: int, box: BallotBox) -> None:
    times = shift_window(Window(turn.opens_at, turn.closes_at), ms)
    change_turn(turn, protocol.TurnMoved, box, opens_at=times.opens_at, closes_at=times.closes_at)


def _result(message: str, turn: Turn, seconds: int) -> ActionResult:
    what = LogText(message, {"turn": turn.number - 1, "duration": seconds})
    return ActionResult(what, {"turn": turn.pk, "seconds": seconds})
