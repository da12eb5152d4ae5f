"""More time in every turn, for those who need it to read or to reach; what is returned is what was done."""

from crowdgame.console.notices import ALREADY_DONE, update_event
from crowdgame.console.turn_time import format_duration
from crowdgame.events.audit import ActionResult
from games.matches import MatchError
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Pressed

MAX_EXTRA_S = 600


def set_extra_time(event_id: int, seconds: int | None, box: BallotBox) -> ActionResult:
    """So much more in every turn from the next one on; None: as long as its match says."""
    extra_s = seconds or 0
    if extra_s > MAX_EXTRA_S:
        raise MatchError(f"At most {format_duration(MAX_EXTRA_S)} more.")
    before = update_event(event_id, ALREADY_DONE, box, extra_s=extra_s).extra_s
    what = (
        f"gave every turn {format_duration(extra_s)} more" if extra_s else "gave turns their usual time again"
    )
    return ActionResult(what, _pressed(extra_s), _pressed(before))


def _pressed(extra_s: int) -> Pressed:
    return Pressed(action="turn.extra_time", seconds=extra_s or None)
