"""Names of deleted accounts in Django's admin log."""

import json
import re
from collections.abc import Iterable

from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Q

from crowdgame.accounts.models import Guest

# The name of an inline object in a `change_message`, as a JSON string.
INLINE_OBJECT = re.compile(r'(?<="object": )"(?:[^"\\]|\\.)*"')


def forget_in_admin_log(user: User) -> None:
    """Replace the names and addresses of an account being deleted, also in entries about other objects."""
    former = f"account {user.pk}"
    about = LogEntry.objects.filter(content_type__app_label="auth", content_type__model="user")
    about.filter(object_id=str(user.pk)).update(object_repr=former)
    names = _names(user)
    words = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    for entry in LogEntry.objects.filter(_may_mention(names)):
        entry.object_repr = words.sub(former, entry.object_repr)[:200]
        entry.change_message = INLINE_OBJECT.sub(
            lambda found: json.dumps(words.sub(former, json.loads(found[0]))), entry.change_message
        )
        entry.save(update_fields=["object_repr", "change_message"])


def _names(user: User) -> list[str]:
    """Return what the log may call the account, the longest first."""
    addresses = EmailAddress.objects.filter(user=user).values_list("email", flat=True)
    players = Guest.objects.filter(user=user).values_list("name", flat=True)
    return sorted(filter(None, {user.username, user.email, *addresses, *players}), key=len, reverse=True)


def _may_mention(names: Iterable[str]) -> Q:
    mentions = Q(change_message__contains='"object": ')
    for name in names:
        mentions |= Q(object_repr__contains=name)
    return mentions
