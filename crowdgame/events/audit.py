"""Audit log of organizer actions: stores each entry and publishes it to the event's consoles."""

from dataclasses import dataclass
from typing import Any

import msgspec

from crowdgame.events.models import AuditEntry
from voting import protocol
from voting.announcements.outbox import publish_to_consoles
from voting.protocol import Pressed

MAX_SHOWN = 10
MAX_TEXT_LENGTH = AuditEntry._meta.get_field("what").max_length or 0


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an organizer action. `what` is shown in the audit log; `undo` is the inverse action."""

    what: str
    pressed: Pressed
    undo: Pressed | None = None


def add_audit_entry(event_id: int, by: str, done: ActionResult, now: int) -> None:
    """Log an action that has succeeded. `now` is ballot box time in milliseconds."""
    undo = _kept(done.undo) if done.undo else None
    _log_entry(
        event_id, by, now, done.what, action=done.pressed.action, pressed=_kept(done.pressed), undo=undo
    )


def add_page_audit_entry(event_id: int, by: str, kind: str, what: str, now: int) -> None:
    """Log an edit made on a page. It has no undo: the organizer edits it again on that page.

    `kind` is named like an action. `what` is cut to MAX_TEXT_LENGTH. `now` is ballot box time in ms.
    """
    shown = what if len(what) <= MAX_TEXT_LENGTH else f"{what[: MAX_TEXT_LENGTH - 1]}…"
    _log_entry(event_id, by, now, shown, action=kind)


def latest_audit_entries(event_id: int) -> tuple[protocol.AuditEntry, ...]:
    """Return the latest MAX_SHOWN entries, newest first."""
    return tuple(
        map(_to_protocol, AuditEntry.objects.filter(event_id=event_id).order_by("-at", "-pk")[:MAX_SHOWN])
    )


def _log_entry(event_id: int, by: str, now: int, what: str, **more: Any) -> None:
    entry = AuditEntry.objects.create(event_id=event_id, by=by, what=what, at=now, **more)
    publish_to_consoles(event_id, protocol.AuditLogged(entry=_to_protocol(entry)))


def _to_protocol(entry: AuditEntry) -> protocol.AuditEntry:
    return protocol.AuditEntry(
        id=entry.pk,
        by=entry.by,
        action=entry.action,
        what=entry.what,
        at=entry.at,
        pressed=_read(entry.pressed),
        undo=_read(entry.undo),
    )


def _kept(pressed: Pressed) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(pressed)
    return {name: value for name, value in said.items() if value is not None}


def _read(kept: Any) -> Pressed | None:
    return msgspec.convert(kept, Pressed) if kept else None
