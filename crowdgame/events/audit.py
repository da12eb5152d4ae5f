"""What organizers did: kept with the event, and told to every control room of it, whoever did it."""

from dataclasses import dataclass
from typing import Any

import msgspec

from crowdgame.events.models import Deed
from voting import protocol
from voting.announcements.outbox import tell_consoles
from voting.protocol import Pressed

SHOWN = 10
LONGEST = Deed._meta.get_field("what").max_length or 0


@dataclass(frozen=True, slots=True)
class Done:
    """What a press did: `what` is fit to be shown, `undo` would take it back."""

    what: str
    pressed: Pressed
    undo: Pressed | None = None


def keep_deed(event_id: int, by: str, done: Done, now: int) -> None:
    """After it was done; `now` is the ballot box's time."""
    undo = _kept(done.undo) if done.undo else None
    _tell(event_id, by, now, done.what, action=done.pressed.action, pressed=_kept(done.pressed), undo=undo)


def keep_page_deed(event_id: int, by: str, kind: str, what: str, now: int) -> None:
    """What was done on a page, where it is mended, too; `kind` is called like an action."""
    shown = what if len(what) <= LONGEST else f"{what[: LONGEST - 1]}…"
    _tell(event_id, by, now, shown, action=kind)


def latest_deeds(event_id: int) -> tuple[protocol.Deed, ...]:
    """Newest first."""
    return tuple(map(_told, Deed.objects.filter(event_id=event_id).order_by("-at", "-pk")[:SHOWN]))


def _tell(event_id: int, by: str, now: int, what: str, **more: Any) -> None:
    deed = Deed.objects.create(event_id=event_id, by=by, what=what, at=now, **more)
    tell_consoles(event_id, protocol.DeedTold(deed=_told(deed)))


def _told(deed: Deed) -> protocol.Deed:
    return protocol.Deed(
        id=deed.pk,
        by=deed.by,
        action=deed.action,
        what=deed.what,
        at=deed.at,
        pressed=_read(deed.pressed),
        undo=_read(deed.undo),
    )


def _kept(pressed: Pressed) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(pressed)
    return {name: value for name, value in said.items() if value is not None}


def _read(kept: Any) -> Pressed | None:
    return msgspec.convert(kept, Pressed) if kept else None
