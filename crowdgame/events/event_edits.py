"""After an organizer changed an event on a page: every screen hears of it, and it is kept who did it."""

import time
from contextlib import closing

from django.contrib import messages
from django.http import HttpRequest
from redis import RedisError

from crowdgame.events.audit import add_page_audit_entry
from games.models import Event
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox


def announce_page_edit(request: HttpRequest, event: Event) -> bool:
    """Whether they heard. If the ballot box is away, the organizer is told that they hear of it later."""
    try:
        with closing(BallotBox()) as box:
            announce_edit(event.pk, box.now())
    except (RedisError, OSError):
        text = "Saved. The screens cannot be told now; they hear of it with the next change."
        messages.warning(request, text)
        return False
    return True


def log_edit(request: HttpRequest, event: Event, kind: str, what: str) -> None:
    """`kind` is called like an action: `event.edit`; `what` is fit to be shown behind a name."""
    add_page_audit_entry(event.pk, request.user.get_username(), kind, what, _box_time())


def _box_time() -> int:
    """The ballot box's time; this machine's, if it is away."""
    try:
        with closing(BallotBox()) as box:
            return box.now()
    except (RedisError, OSError):
        return time.time_ns() // 1_000_000
