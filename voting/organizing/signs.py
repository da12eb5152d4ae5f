"""What an organizer puts up for all, or keeps off the projector. What is returned is what was done."""

from typing import Any

from games.matches import MatchError, changing
from games.models import NOTICE_LENGTH, Event
from games.names import clean_name
from voting import protocol
from voting.box.ballot_box import BallotBox
from voting.fanout.announcements import announce, relay
from voting.protocol import Part

SO_ALREADY = "It is so already."
PARTS: dict[Part, tuple[str, str]] = {
    "code": ("hide_code", "the join code"),
    "turnout": ("hide_turnout", "the turnout"),
    "tally": ("hide_tally", "the votes"),
}


def show_notice(event_id: int, text: str | None, box: BallotBox) -> str:
    """A line of the organizer's on every phone and screen, until it is taken down."""
    notice = clean_name(text or "")
    if not notice:
        raise MatchError("There is nothing to show: write a line first.")
    if len(notice) > NOTICE_LENGTH:
        raise MatchError(f"A line has {NOTICE_LENGTH} letters at most.")
    _change_event(event_id, SO_ALREADY, box, notice=notice)
    return f"wrote: {notice}"


def clear_notice(event_id: int, box: BallotBox) -> str:
    _change_event(event_id, "Nothing is written.", box, notice="")
    return "took the line down"


def hide_part(event_id: int, part: Part | None, box: BallotBox) -> str:
    """Keep it off the projector."""
    return f"hid {_set_hidden(event_id, part, box, hidden=True)}"


def show_part(event_id: int, part: Part | None, box: BallotBox) -> str:
    return f"showed {_set_hidden(event_id, part, box, hidden=False)}"


def _set_hidden(event_id: int, part: Part | None, box: BallotBox, *, hidden: bool) -> str:
    """What the part is called."""
    if part is None:
        raise MatchError("Say what: code, turnout or tally.")
    field, name = PARTS[part]
    _change_event(event_id, SO_ALREADY, box, **{field: hidden})
    return name


def _change_event(event_id: int, so_already: str, box: BallotBox, **change: Any) -> None:
    now = box.now()
    with changing(event_id):
        if not Event.objects.filter(pk=event_id).exclude(**change).update(**change):
            raise MatchError(so_already)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
