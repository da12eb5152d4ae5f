"""Edits of an event on a page: announce them to all clients, write the audit log, delete the event."""

import time
from contextlib import closing, suppress
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext as _
from redis import RedisError

from crowdgame.events.audit_text import LogText
from crowdgame.events.models import AuditEntry
from games.engine.errors import GameError
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import locked_event
from voting.models import Event
from voting.terms import MatchState


def announce_page_edit(request: HttpRequest, event: Event) -> bool:
    """Announce an edit to all clients and return whether that worked.

    If the ballot box isn't reachable, adds a warning message: clients get the edit with the next change.
    """
    try:
        with closing(BallotBox()) as box:
            announce_edit(event.pk, box.now())
    except (RedisError, OSError, GameError):
        text = _("Saved. The screens could not be notified. They will update with the next change.")
        messages.warning(request, text)
        return False
    return True


def log_edit(request: HttpRequest, event: Event, kind: str, what: LogText) -> None:
    """Add an audit log entry. `kind` is named like an action (`event.edit`)."""
    add_page_audit_entry(event.pk, cast(User, request.user), kind, what, box_time())


def add_page_audit_entry(event_id: int, user: User, kind: str, what: LogText, now: int) -> None:
    """Log an edit made on a page. It has no undo: the organizer edits it again on that page.

    `kind` is named like an action. `now` is ballot box time in ms.
    """
    AuditEntry.objects.create(
        event_id=event_id,
        user=user,
        by=user.get_username(),
        what=what.message,
        what_values=what.values,
        at=now,
        action=kind,
    )


def delete_unless_playing(event_id: int) -> bool:
    """Delete the event unless a match is live, and return whether it is gone.

    Holds the event lock, so that a match starting concurrently either blocks the deletion or finds no event.
    """
    with suppress(Event.DoesNotExist), locked_event(event_id) as event:
        if event.matches.filter(state=MatchState.PLAYING).exists():
            return False
        event.delete()
    return True


def box_time() -> int:
    """Return the ballot box time in milliseconds, or this machine's time if the box isn't reachable."""
    try:
        with closing(BallotBox()) as box:
            return box.now()
    except (RedisError, OSError):
        return time.time_ns() // 1_000_000
