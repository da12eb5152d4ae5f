"""Push subscriptions of guests and voters: add and remove a device."""

from typing import Any

from django.db import transaction
from django.utils.translation import get_language, gettext

from crowdgame.play.duels.duels import PlayError
from crowdgame.play.notifications.addresses import MAX_ADDRESSES_PER_EVENT
from crowdgame.play.notifications.models import PushSubscription

MAX_DEVICES = 5


def add_device(owner: dict[str, Any], subscription: dict[str, str], **details: Any) -> None:
    """Store a subscription, or give it to another owner. An owner keeps the last MAX_DEVICES.

    `owner` is a `guest`, or an `event` and a `voter`. Raises PlayError if the event has too many.
    """
    if event := owner.get("event"):
        others = PushSubscription.objects.filter(event=event).exclude(voter=owner["voter"])
        if others.count() >= MAX_ADDRESSES_PER_EVENT:
            raise PlayError(gettext("This event can't notify more devices."))
    nobody = {"guest": None, "event": None, "voter": "", "team": None}
    with transaction.atomic():
        PushSubscription.objects.update_or_create(
            endpoint=subscription["endpoint"],
            defaults={**nobody, **subscription, **owner, **details, "language": get_language()},
        )
        kept = PushSubscription.objects.filter(**owner).order_by("-seen_at")[:MAX_DEVICES]
        PushSubscription.objects.filter(**owner).exclude(pk__in=[device.pk for device in kept]).delete()


def remove_device(endpoint: str) -> None:
    PushSubscription.objects.filter(endpoint=endpoint).delete()
