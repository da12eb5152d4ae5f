"""The audit log as consoles see it: the latest entries, and which of them can still be undone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.utils.translation import override

from crowdgame.events.audit_text import TOO_LATE, LogText
from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.registry import TARGETS, CurrentState
from voting import protocol
from voting.announcements.snapshots import load_snapshot
from voting.matches import MatchError
from voting.models import Event
from voting.protocol import Pressed

MAX_SHOWN = 10


@dataclass(frozen=True, slots=True)
class PerformedAction:
    """An action as logged. `what` is shown to organizers; `undo` is the inverse action."""

    what: LogText
    pressed: Pressed
    undo: Pressed | None = None


def add_audit_entry(
    event_id: int, by: str, done: PerformedAction, now: int, user_id: int | None = None
) -> None:
    """Log an action that has succeeded. `now` is ballot box time in milliseconds.

    `by` is the name of the user, empty for an action of the server.
    """
    AuditEntry.objects.create(
        event_id=event_id,
        user_id=user_id,
        by=by,
        what=done.what.message,
        what_values=done.what.values,
        at=now,
        action=done.pressed.action,
        pressed=_set_fields(done.pressed),
        undo=_set_fields(done.undo) if done.undo else None,
    )


def list_audit_entries(event_id: int, now: CurrentState, language: str) -> tuple[protocol.AuditEntry, ...]:
    """Return the latest MAX_SHOWN entries, newest first, in the language."""
    rows = _load_rows(event_id)
    undos = [_undo(row, rows[:index], now) for index, row in enumerate(rows)]
    with override(language):
        return tuple(
            msgspec.convert(
                vars(row) | {"what": str(row), "undo": undo.action if undo else None}, protocol.AuditEntry
            )
            for row, undo in zip(rows, undos, strict=True)
        )


def find_undo(event_id: int, entry_id: int, at: int, *, rehearsing: bool) -> Pressed:
    """Return the action that undoes the entry. Raises MatchError if it can't be undone, or no longer."""
    now = CurrentState(load_snapshot(Event.objects.get(pk=event_id)), at, rehearsing)
    rows = _load_rows(event_id)
    for index, row in enumerate(rows):
        if row.pk == entry_id and (undo := _undo(row, rows[:index], now)):
            return undo
    raise MatchError(str(TOO_LATE))


def _undo(row: AuditEntry, newer: Sequence[AuditEntry], now: CurrentState) -> Pressed | None:
    """Return the inverse, if the entry's effect still holds and no newer entry has replaced it."""
    pressed, undo, action = _read(row.pressed), _read(row.undo), ACTIONS.get(row.action)
    if row.undone or pressed is None or undo is None or action is None or action.undo is None:
        return None
    same_kind = [one.pressed for one in newer if one.action in {pressed.action, undo.action} and one.pressed]
    target = "" if action.undo.only_last else TARGETS[action.target]
    replaced = any(one.get(target) == getattr(pressed, target, None) for one in same_kind)
    return undo if action.undo.holds(pressed, now) and (action.undo.cumulative or not replaced) else None


def _load_rows(event_id: int) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(event_id=event_id).order_by("-at", "-pk")[:MAX_SHOWN])


def _set_fields(pressed: Pressed) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(pressed)
    return {name: value for name, value in fields.items() if value is not None}


def _read(stored: Any) -> Pressed | None:
    return msgspec.convert(stored, Pressed) if stored else None
