"""What an organizer puts up for all, or keeps off the projector; what is returned is what was done."""

from typing import Any

from crowdgame.events.audit import ActionResult
from games.matches import MatchError, locked_event
from games.models import NOTICE_LENGTH, Event
from games.names import clean_name
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Part, Pressed

ALREADY_DONE = "It is so already."
PARTS: dict[Part, tuple[str, str]] = {
    "code": ("hide_code", "the join code"),
    "turnout": ("hide_turnout", "the turnout"),
    "tally": ("hide_tally", "the votes"),
}
CLEAR_PRESSED = Pressed(action="notice.clear")


def show_notice(event_id: int, text: str | None, box: BallotBox) -> ActionResult:
    """A line of the organizer's on every phone and screen, until it is taken down."""
    notice = clean_name(text or "")
    if not notice:
        raise MatchError("There is nothing to show: write a line first.")
    if len(notice) > NOTICE_LENGTH:
        raise MatchError(f"A line has {NOTICE_LENGTH} letters at most.")
    before = update_event(event_id, ALREADY_DONE, box, notice=notice).notice
    return ActionResult(
        f"wrote: {notice}", _notice_action(notice), _notice_action(before) if before else CLEAR_PRESSED
    )


def clear_notice(event_id: int, box: BallotBox) -> ActionResult:
    before = update_event(event_id, "Nothing is written.", box, notice="").notice
    return ActionResult("took the line down", CLEAR_PRESSED, _notice_action(before))


def _notice_action(notice: str) -> Pressed:
    return Pressed(action="notice.show", text=notice)


def hide_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    """Keep it off the projector."""
    part, name = _set_hidden(event_id, part, box, hidden=True)
    return ActionResult(
        f"hid {name}", Pressed(action="part.hide", part=part), Pressed(action="part.show", part=part)
    )


def show_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    part, name = _set_hidden(event_id, part, box, hidden=False)
    shown, hidden = (Pressed(action=action, part=part) for action in ("part.show", "part.hide"))
    return ActionResult(f"showed {name}", shown, hidden)


def _set_hidden(event_id: int, part: Part | None, box: BallotBox, *, hidden: bool) -> tuple[Part, str]:
    """The part, and what it is called."""
    if part is None:
        raise MatchError("Say what: code, turnout or tally.")
    field, name = PARTS[part]
    update_event(event_id, ALREADY_DONE, box, **{field: hidden})
    return part, name


def update_event(event_id: int, if_unchanged: str, box: BallotBox, **change: Any) -> Event:
    """The event as it was before. Raises MatchError in the words of `if_unchanged`."""
    now = box.now()
    with locked_event(event_id) as before:
        if not Event.objects.filter(pk=event_id).exclude(**change).update(**change):
            raise MatchError(if_unchanged)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    return before
