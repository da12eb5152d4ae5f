"""Ends the sessions of deactivated organizers, and publishes changes of accounts and ended sessions.

Gateways then close the consoles concerned at once. The receivers don't see changes by `QuerySet.update`.
"""

from collections.abc import Collection
from functools import partial
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.db import transaction

from crowdgame.accounts.accounts import forget_name
from crowdgame.accounts.admin_log import forget_in_admin_log
from crowdgame.accounts.models import Invitation
from voting.announcements.outbox import publish_role_change
from voting.ballot_box.ballot_box import BallotBox

LOGIN_FIELDS = {"last_login"}


def publish_edit(
    instance: User, *, created: bool, update_fields: Collection[str] | None, **_signal: Any
) -> None:
    """Publish a change of the account's password or rights. A login changes neither."""
    if not created and (update_fields is None or not LOGIN_FIELDS.issuperset(update_fields)):
        if not instance.is_active:
            for session in UserSession.objects.filter(user=instance):
                session.end()
        _publish_after_commit(instance.pk)


def delete_ended_sessions() -> None:
    """Delete what is known about the devices of sessions that have ended."""
    for session in UserSession.objects.all():
        session.purge()


def publish_ended_session(instance: UserSession, **_signal: Any) -> None:
    _publish_after_commit(instance.user_id)


def publish_logout(user: User | None, **_signal: Any) -> None:
    if user is not None:
        _publish_after_commit(user.pk)


def forget_person(instance: User, **_signal: Any) -> None:
    """Remove a deleted account's name from its guest and the admin log, and its invitation.

    Also if an administrator deletes the account.
    """
    forget_in_admin_log(instance)
    forget_name(instance, BallotBox())
    Invitation.objects.filter(used_by=instance).delete()


def publish_deletion(instance: User, **_signal: Any) -> None:
    _publish_after_commit(instance.pk)


def _publish_after_commit(user_id: int) -> None:
    transaction.on_commit(partial(publish_role_change, user_id))
