"""Extra time per turn (accessibility), for players who need longer to read or to tap."""

from crowdgame.console.actions.notices import ALREADY_DONE, update_event
from crowdgame.console.actions.registry import ActionResult, action, undone_by
from crowdgame.console.actions.turn_time import format_duration
from games.matches import MatchError
from voting.ballot_box.ballot_box import BallotBox

MAX_EXTRA_S = 600


@action("turn.extra_time", permission="run", target="event", done="{time} more from the next turn on.")
@undone_by("turn.extra_time", lambda pressed, now: now.event.extra_s == (pressed.seconds or 0))
def set_extra_time(event_id: int, seconds: int | None, box: BallotBox) -> ActionResult:
    """Make every turn longer, from the next one on. Without `seconds`, turns have their usual length.

    Raises MatchError above MAX_EXTRA_S, or if nothing changes.
    """
    extra_s = seconds or 0
    if extra_s > MAX_EXTRA_S:
        raise MatchError(f"You can add at most {format_duration(MAX_EXTRA_S)} per turn.")
    before = update_event(event_id, ALREADY_DONE, box, extra_s=extra_s).extra_s
    what = f"added {format_duration(extra_s)} to every turn" if extra_s else "removed the extra time per turn"
    return ActionResult(what, {"seconds": extra_s or None}, undo={"seconds": before or None})
