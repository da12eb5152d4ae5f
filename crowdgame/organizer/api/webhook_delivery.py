"""Deliveries of webhooks: drafted from announcements, sent at least once by a worker of their own queue.

Nothing is stored while a turn closes: each webhook remembers the `seq` that was read for it, and a worker
reads the announcements after it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from crowdgame.events.permissions import ROLE_PERMISSIONS, role_at_event
from crowdgame.organizer.api.models import Webhook, WebhookDelivery
from crowdgame.organizer.api.webhook_request import post
from crowdgame.organizer.api.webhooks import (
    SKIPPED,
    draft_delivery,
    pause_webhook,
    remove_webhook,
    valid_secrets,
)
from voting.models import Announcement

SEND_DELIVERIES = "webhooks.send_deliveries"
BATCH_SIZE = 20
LEASE = timedelta(minutes=5)  # longer than a batch of slow answers
REST = timedelta(seconds=30)  # after a failure, so that a receiver that hangs occupies no thread for long
RETRY_AFTER = (
    REST,
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=17),
)
PAUSE_AFTER = timedelta(days=1)
KEPT_FOR = timedelta(days=7)


def is_due() -> bool:
    return settings.WEBHOOKS != "off" and _due().exists()


def send_deliveries() -> None:
    """Serve all webhooks that are due, one after the other. Several workers share them."""
    while webhook := next(filter(_claim, _due()[:BATCH_SIZE]), None):
        wait = _serve(webhook)
        Webhook.objects.filter(pk=webhook.pk).update(next_at=timezone.now() + wait)


def purge_deliveries() -> Iterator[object]:
    yield WebhookDelivery.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()


def _due() -> QuerySet[Webhook]:
    now = timezone.now()
    waiting = Exists(WebhookDelivery.objects.filter(webhook=OuterRef("pk"), due_at__lte=now))
    ready = Webhook.objects.filter(Q(event__seq__gt=F("seq")) | waiting, paused_at=None, next_at__lte=now)
    return ready.select_related("user", "event").order_by("next_at")


def _claim(webhook: Webhook) -> bool:
    """Claim a webhook by a compare-and-set on `next_at`. It is due again when the lease expires."""
    same = Webhook.objects.filter(pk=webhook.pk, next_at=webhook.next_at)
    return same.update(next_at=timezone.now() + LEASE) == 1


def _serve(webhook: Webhook) -> timedelta:
    """Send a batch until one fails. Return how long to wait before the next one."""
    read_announcements(webhook)
    for delivery in webhook.deliveries.filter(due_at__lte=timezone.now()).order_by("pk")[:BATCH_SIZE]:
        current = Webhook.objects.select_related("user").filter(pk=webhook.pk, paused_at=None).first()
        if current is None:
            break
        if not _may_receive(current):
            remove_webhook(current)
            break
        if not _send(current, delivery):
            return REST
    return timedelta(0)


def _may_receive(webhook: Webhook) -> bool:
    role = role_at_event(webhook.user, webhook.event_id) if webhook.user.is_active else None
    return bool(role and "run" in ROLE_PERMISSIONS[role])


def read_announcements(webhook: Webhook) -> None:
    """Store deliveries of the next announcements, and move the cursor past them in the same transaction.

    Announcements are kept for a day. If some are gone, a message of the type SKIPPED says which.
    """
    newest = webhook.event.seq  # loaded before the rows
    rows = Announcement.objects.filter(event=webhook.event_id, seq__gt=webhook.seq).order_by("seq")
    changes = [msgspec.json.decode(bytes(row.body)) for row in rows[:BATCH_SIZE]]
    first, last = (changes[0]["seq"], changes[-1]["seq"]) if changes else (newest + 1, newest)
    drafts = [_draft(webhook, one) for one in changes if not webhook.types or one["type"] in webhook.types]
    if first > webhook.seq + 1:
        gap = {"event": webhook.event.code, "first": webhook.seq + 1, "last": first - 1}
        drafts.insert(0, draft_delivery(webhook, SKIPPED, timezone.now(), gap))
    with transaction.atomic():
        if Webhook.objects.filter(pk=webhook.pk, seq=webhook.seq).update(seq=last):
            WebhookDelivery.objects.bulk_create(drafts)


def _draft(webhook: Webhook, change: dict[str, Any]) -> WebhookDelivery:
    match = change["state"]["match"] or {}
    numbers = {"match": match, "turn": match.get("turn"), "revealed": match.get("reveal")}
    data = {name: one["number"] if one else None for name, one in numbers.items()}
    at = datetime.fromtimestamp(change["at"] / 1000, UTC)
    event = {"event": webhook.event.code, "seq": change["seq"]}
    return draft_delivery(webhook, change["type"], at, event | data)


def _send(webhook: Webhook, delivery: WebhookDelivery) -> bool:
    """Make one attempt, log it, and return whether the receiver accepted the message."""
    attempt = post(webhook.url, valid_secrets(webhook), delivery.message_id, delivery.body.encode())
    accepted = HTTPStatus.OK <= attempt.status < HTTPStatus.MULTIPLE_CHOICES
    retries, now = RETRY_AFTER[delivery.attempts :], timezone.now()
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        attempts=F("attempts") + 1,
        status=attempt.status,
        reason=attempt.reason,
        duration_ms=attempt.duration_ms,
        due_at=now + retries[0] if retries and not accepted else None,
    )
    webhook.failing_since = None if accepted else webhook.failing_since or now
    Webhook.objects.filter(pk=webhook.pk).update(failing_since=webhook.failing_since)
    if attempt.status == HTTPStatus.GONE or (
        webhook.failing_since and now - webhook.failing_since >= PAUSE_AFTER
    ):
        pause_webhook(webhook)
    return accepted
