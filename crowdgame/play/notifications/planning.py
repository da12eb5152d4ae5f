"""Store the notifications of all recipients in the transaction of what happened (a transactional outbox)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from crowdgame.play.notifications.models import (
    EmailAddress,
    EmailNotification,
    PushNotification,
    PushSubscription,
)
from voting.models import Turn


def store_notifications(turn: Turn, due: Mapping[str, datetime], **owner: Any) -> None:
    """Store each news of `due` for the confirmed addresses and the devices that `owner` matches."""
    if settings.EMAIL_ENABLED:
        EmailNotification.objects.bulk_create(
            (
                EmailNotification(address=address, turn=turn, news=news, due_at=due_at)
                for address in EmailAddress.objects.filter(**owner, confirmed_at__isnull=False)
                for news, due_at in due.items()
            ),
            ignore_conflicts=True,
        )
    if settings.PUSH_ENABLED:
        PushNotification.objects.bulk_create(
            (
                PushNotification(address=address, turn=turn, news=news, due_at=due_at)
                for address in PushSubscription.objects.filter(**owner)
                for news, due_at in due.items()
            ),
            ignore_conflicts=True,
        )
