"""Store the notifications of all recipients in the transaction of what happened (a transactional outbox)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from crowdgame.play.notifications.models import (
    EmailAddress,
    EmailNotification,
    PushNotification,
    PushSubscription,
)
from voting.models import Turn


def store_notifications(turn: Turn, due: Mapping[str, datetime], **owner: Any) -> None:
    """Store each news of `due` for the confirmed addresses and the devices that `owner` matches."""
    kinds: tuple[tuple[bool, QuerySet[Any], Any], ...] = (
        (settings.EMAIL_ENABLED, EmailAddress.objects.filter(confirmed_at__isnull=False), EmailNotification),
        (settings.PUSH_ENABLED, PushSubscription.objects.all(), PushNotification),
    )
    for is_enabled, recipients, kind in kinds:
        if is_enabled:
            notifications = (
                kind(address=address, turn=turn, news=news, due_at=due_at)
                for address in recipients.filter(**owner)
                for news, due_at in due.items()
            )
            kind.objects.bulk_create(notifications, ignore_conflicts=True)
