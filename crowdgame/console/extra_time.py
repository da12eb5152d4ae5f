"""Extra time per turn (accessibility), for players who need longer to read or to tap."""

from crowdgame.console.notices import ALREADY_DONE, update_event
from crowdgame.console.turn_time import format_duration
from crowdgame.events.audit import ActionResult
from games.matches import MatchError
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Pressed

MAX_EXTRA_S = 600


def set_extra_time(event_id: int, seconds: int | None, box: BallotBox) -> ActionResult:
    """Add `seconds` to every turn from the next one on. None or 0 restores the match's own time.

    Raises MatchError above MAX_EXTRA_S, or if nothing changes.
    """
    extra_s = seconds or 0
    if extra_s > MAX_EXTRA_S:
        raise MatchError(f"You can add at most {format_duration(MAX_EXTRA_S)} per turn.")
    before = update_event(event_id, ALREADY_DONE, box, extra_s=extra_s).extra_s
    what = f"added {format_duration(extra_s)} to every turn" if extra_s else "removed the extra time per turn"
    return ActionResult(what, _pressed(extra_s), _pressed(before))


def _pressed(extra_s: int) -> Pressed:
    return Pressed(action="turn.extra_time", seconds=extra_s or None)
