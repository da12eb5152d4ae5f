"""Publishes changes of organizers' accounts, so that the gateways close their consoles at once.

The receivers don't see changes by `QuerySet.update`.
"""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from voting.announcements.outbox import publish_role_change

LOGIN_FIELDS = {"last_login"}


def publish_edit(
    instance: User, *, created: bool, update_fields: Collection[str] | None, **_signal: Any
) -> None:
    """Publish a change of the account's password or rights. A login changes neither."""
    if not created and (update_fields is None or not LOGIN_FIELDS.issuperset(update_fields)):
        _publish_after_commit(instance.pk)


def publish_deletion(instance: User, **_signal: Any) -> None:
    _publish_after_commit(instance.pk)


def _publish_after_commit(user_id: int) -> None:
    transaction.on_commit(partial(publish_role_change, user_id))
