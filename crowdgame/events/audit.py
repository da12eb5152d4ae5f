"""Audit log entries of edits on pages. `crowdgame.console.audit_log` logs and lists organizer actions."""

from crowdgame.events.models import AuditEntry

MAX_TEXT_LENGTH = AuditEntry._meta.get_field("what").max_length or 0


def add_page_audit_entry(event_id: int, by: str, kind: str, what: str, now: int) -> None:
    """Log an edit made on a page. It has no undo: the organizer edits it again on that page.

    `kind` is named like an action. `what` is cut to MAX_TEXT_LENGTH. `now` is ballot box time in ms.
    """
    shown = what if len(what) <= MAX_TEXT_LENGTH else f"{what[: MAX_TEXT_LENGTH - 1]}…"
    AuditEntry.objects.create(event_id=event_id, by=by, what=shown, at=now, action=kind)
