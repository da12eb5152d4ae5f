"""Chat retention: delete messages, expired mutes and the moderation log after some days.

Also removes the messages and names of guests who have their data deleted.
"""

import logging
from collections.abc import Generator
from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db.models import Model, QuerySet
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import ChatBlock, ChatLine, ChatMute, ChatRoom, Suggestion

log = logging.getLogger(__name__)

ROWS_PER_STEP = 500


def chat_to_purge(days: int) -> tuple[QuerySet[Model], ...]:
    """Return the rows to delete: old messages, expired mutes, old moderation log entries.

    The reports of a message are deleted with it.
    """
    before = timezone.now() - timedelta(days=days)
    return (
        ChatLine.objects.filter(at__lt=before),
        Suggestion.objects.filter(at__lt=before),
        ChatMute.objects.filter(until__lt=timezone.now()),
        _moderation_log(before),
    )


def _moderation_log(before: datetime) -> QuerySet[LogEntry]:
    models = [model._meta.model_name for model in (ChatLine, ChatRoom, Guest)]
    return LogEntry.objects.filter(
        action_time__lt=before,
        content_type__app_label__in=["accounts", "chat"],
        content_type__model__in=models,
    )


def purge_chat(days: int) -> Generator[int, None, None]:
    """Delete in steps of ROWS_PER_STEP. Yields the number of rows deleted so far after each."""
    gone = 0
    for rows in chat_to_purge(days):
        while some := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_PER_STEP]):
            rows.model._base_manager.filter(pk__in=some).delete()
            gone += len(some)
            yield gone
    if gone:
        log.info("deleted old chat data: %s rows", gone)


def forget_guest(guest: Guest, **_: Any) -> None:
    """Delete the messages and the list of blocked guests of somebody who has their data deleted.

    The guest's number replaces the name in the moderation log.
    """
    ChatLine.objects.filter(guest=guest).delete()
    ChatBlock.objects.filter(guest=guest).delete()
    about_guests = LogEntry.objects.filter(content_type__app_label="accounts", content_type__model="guest")
    about_guests.filter(object_id=str(guest.pk)).update(object_repr=str(guest))
