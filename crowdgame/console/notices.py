"""Organizer actions on the display: show or clear the notice, hide or show parts of the projector.

Each action returns an ActionResult for the audit log.
"""

from typing import Any

from crowdgame.events.audit import ActionResult
from games.matches import MatchError, locked_event
from games.models import NOTICE_LENGTH, Event
from games.names import clean_name
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Part, Pressed

ALREADY_DONE = "Already done."
PARTS: dict[Part, tuple[str, str]] = {
    "code": ("hide_code", "the join code"),
    "turnout": ("hide_turnout", "the turnout"),
    "tally": ("hide_tally", "the votes"),
}
CLEAR_PRESSED = Pressed(action="notice.clear")


def show_notice(event_id: int, text: str | None, box: BallotBox) -> ActionResult:
    """Show `text` on every phone and screen of the event until it is cleared.

    Raises MatchError if the text is empty, longer than NOTICE_LENGTH, or already shown.
    """
    notice = clean_name(text or "")
    if not notice:
        raise MatchError("There is nothing to show. Write a message first.")
    if len(notice) > NOTICE_LENGTH:
        raise MatchError(f"A message can have at most {NOTICE_LENGTH} characters.")
    before = update_event(event_id, ALREADY_DONE, box, notice=notice).notice
    return ActionResult(
        f"wrote: {notice}", _notice_action(notice), _notice_action(before) if before else CLEAR_PRESSED
    )


def clear_notice(event_id: int, box: BallotBox) -> ActionResult:
    """Clear the notice. Raises MatchError if none is shown."""
    before = update_event(event_id, "No message is shown.", box, notice="").notice
    return ActionResult("cleared the message", CLEAR_PRESSED, _notice_action(before))


def _notice_action(notice: str) -> Pressed:
    return Pressed(action="notice.show", text=notice)


def hide_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    """Hide a part from the projector. Raises MatchError if it is missing or hidden already."""
    part, name = _set_hidden(event_id, part, box, hidden=True)
    return ActionResult(
        f"hid {name}", Pressed(action="part.hide", part=part), Pressed(action="part.show", part=part)
    )


def show_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    """Show a hidden part on the projector again. Raises MatchError if it is missing or shown already."""
    part, name = _set_hidden(event_id, part, box, hidden=False)
    shown, hidden = (Pressed(action=action, part=part) for action in ("part.show", "part.hide"))
    return ActionResult(f"showed {name}", shown, hidden)


def _set_hidden(event_id: int, part: Part | None, box: BallotBox, *, hidden: bool) -> tuple[Part, str]:
    """Return the part and its display name. Raises MatchError if `part` is None or nothing changes."""
    if part is None:
        raise MatchError("Choose a part: code, turnout or tally.")
    field, name = PARTS[part]
    update_event(event_id, ALREADY_DONE, box, **{field: hidden})
    return part, name


def update_event(event_id: int, if_unchanged: str, box: BallotBox, **change: Any) -> Event:
    """Set fields of the event, announce the edit and return the event as it was before.

    Raises MatchError with the text `if_unchanged` if all fields have these values already.
    """
    now = box.now()
    with locked_event(event_id) as before:
        if not Event.objects.filter(pk=event_id).exclude(**change).update(**change):
            raise MatchError(if_unchanged)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    return before
