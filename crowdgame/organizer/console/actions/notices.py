"""Organizer actions on screens: the notice (banner, announcement) and the hidden parts of the projector."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, CurrentState, action, undone_by
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError, locked_event
from voting.models import NOTICE_LENGTH, Event
from voting.models.settings import list_hidden_parts
from voting.names import clean_name
from voting.protocol import Part, Pressed

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ALREADY_DONE = gettext_lazy("Already done.")
# Each part of the projector, and the field that hides it.
PARTS = {part.name: (field, part) for field, part in list_hidden_parts(Event).items()}


def _is_shown(pressed: Pressed, now: CurrentState) -> bool:
    until = now.event.notice_until
    shown = now.event.notice if until is None or now.at < until else ""
    return shown == (pressed.text or "")


def _show_again(before: Event, now: int) -> dict[str, Any]:
    """Return the arguments that show an earlier message for the rest of its time, or none if it was over."""
    if before.notice_until is None:
        return {"text": before.notice}
    left_s = -(-(before.notice_until - now) // 1000)
    return {"text": before.notice, "seconds": left_s} if left_s > 0 else {"text": ""}


@action("notice.show", target="event", label="Show", done="Shown on all screens.")
@undone_by("notice.show", _is_shown)
def show_notice(event_id: int, text: str | None, seconds: int | None, box: BallotBox) -> ActionResult:
    """Show a message on every phone and screen for `seconds`, or until it is cleared.

    Raises MatchError if the text is empty, longer than NOTICE_LENGTH, or already shown.
    """
    notice = clean_name(text or "")
    if not notice:
        raise MatchError(_("There is nothing to show. Write a message first."))
    if len(notice) > NOTICE_LENGTH:
        text = _("A message can have at most %(count)s characters.")
        raise MatchError(text % {"count": NOTICE_LENGTH})
    now = box.now()
    until = now + seconds * 1000 if seconds else None
    before = update_event(event_id, ALREADY_DONE, box, notice=notice, notice_until=until)
    again = _show_again(before, now)
    undo = again if again["text"] else {"action": "notice.clear"}
    what = LogText(gettext_noop("%(by)s wrote: %(text)s"), {"text": notice})
    return ActionResult(what, {"text": notice, "seconds": seconds}, undo)


@action("notice.clear", target="event", label="Clear", done="Message cleared.")
@undone_by("notice.show", _is_shown)
def clear_notice(event_id: int, box: BallotBox) -> ActionResult:
    """Clear the message to all."""
    before = update_event(event_id, _("No message is shown."), box, notice="", notice_until=None)
    again = _show_again(before, box.now())
    return ActionResult(LogText(gettext_noop("%(by)s cleared the message")), undo=again)


@action("part.hide", target="part", done="Hidden on all big screens.")
@undone_by("part.show", lambda pressed, now: pressed.part in now.event.hidden)
def hide_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    """Turn off a part of the displays."""
    return _set_hidden(event_id, part, box, hidden=True)


@action("part.show", target="part", done="On for all big screens.")
@undone_by("part.hide", lambda pressed, now: pressed.part not in now.event.hidden)
def show_part(event_id: int, part: Part | None, box: BallotBox) -> ActionResult:
    """Turn on a part of the displays. Sound, which is off at first, starts by itself on all of them."""
    return _set_hidden(event_id, part, box, hidden=False)


def _set_hidden(event_id: int, part: Part | None, box: BallotBox, *, hidden: bool) -> ActionResult:
    """Raises MatchError if `part` is None, if nothing changes, or if the match hides it anyway.

    There is no undo if each display decided on its sound before.
    """
    if part is None:
        raise MatchError(_("Choose a part of the big screen."))
    field, changed = PARTS[part]
    if not hidden and _is_always_hidden(event_id, part, field):
        raise MatchError(_("It stays hidden while sides are secret or votes go into a study."))
    sound = {"sound_on": not hidden} if part == "sound" else {}
    before = update_event(event_id, ALREADY_DONE, box, protocol.EventEdited, **{field: hidden}, **sound)
    final = bool(sound) and not (before.hide_sound or before.sound_on)
    what = LogText(changed.off if hidden else changed.on)
    return ActionResult(what, {"part": changed.name}, final=final)


def _is_always_hidden(event_id: int, part: Part, field: str) -> bool:
    event = Event.objects.get(pk=event_id)
    setattr(event, field, False)
    return part in load_snapshot(event).hidden


def update_event(
    event_id: int,
    if_unchanged: "StrOrPromise",
    box: BallotBox,
    kind: type[protocol.Change] = protocol.EventEdited,
    **change: Any,
) -> Event:
    """Set fields of the event, announce that as `kind` and return the event as it was before.

    Raises MatchError with the text `if_unchanged` if all fields have these values already.
    """
    now = box.now()
    with locked_event(event_id) as before:
        if not Event.objects.filter(pk=event_id).exclude(**change).update(**change):
            raise MatchError(str(if_unchanged))
        announce(event_id, kind, now)
    relay(event_id)
    return before
