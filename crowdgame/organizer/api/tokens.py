"""Create and find API tokens, and the events that they give access to."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.utils import timezone

from crowdgame.events.access import visible_events
from crowdgame.events.permissions import EventPermission, OrganizerAccess, role_at_event
from crowdgame.organizer.api.models import ApiToken
from voting.models import Event

Scope = Literal["read", "run", "create"]
SCOPES: dict[EventPermission, Scope] = {"view": "read", "run": "run"}
PREFIX = "crowdgame_"  # so that programs that search for leaked secrets recognize it
REQUESTS_PER_MINUTE = 600
MAX_LOGGED_NAME = 150


@dataclass(frozen=True, slots=True)
class TokenAccess(OrganizerAccess):
    """An organizer's access to an event, limited to the scopes of a token."""

    token: ApiToken

    def may(self, permission: EventPermission) -> bool:
        scope = SCOPES.get(permission)
        return bool(scope and has_scope(self.token, scope)) and OrganizerAccess.may(self, permission)


def create_token(
    user: User,
    name: str,
    scopes: Iterable[Scope],
    event: Event | None = None,
    expires_at: datetime | None = None,
) -> str:
    """Create a token and return it. It cannot be read again."""
    token = PREFIX + secrets.token_urlsafe(24)
    ApiToken.objects.create(
        user=user, name=name, scopes=[*scopes], event=event, expires_at=expires_at, token_hash=_hash(token)
    )
    return token


def find_token(token: str) -> ApiToken | None:
    """Return the valid token of an active user, or None. Records the day of its use."""
    valid = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    found = ApiToken.objects.filter(valid, token_hash=_hash(token), user__is_active=True)
    row = found.select_related("user").first()
    if row and row.used_on != timezone.localdate():
        ApiToken.objects.filter(pk=row.pk).update(used_on=timezone.localdate())
    return row


def has_scope(token: ApiToken, scope: Scope) -> bool:
    """Whether the token has the scope. A token to run events may also read."""
    return scope in token.scopes or (scope == "read" and "run" in token.scopes)


def events_of(token: ApiToken) -> QuerySet[Event]:
    """The events that the token's user may see, without duels; with a token of one event, only that."""
    events = visible_events(token.user).filter(fixed_players=False)
    return events.filter(pk=token.event_id) if token.event_id else events


def access_to(token: ApiToken, event: Event) -> TokenAccess | None:
    """The token's access to an event, or None if its user has no role there."""
    role = role_at_event(token.user, event.pk)
    name = f"{token.user.get_username()} ({token.name})"[:MAX_LOGGED_NAME]
    return TokenAccess(name, role, token.user.pk, token) if role else None


def retry_after_s(token: ApiToken) -> int:
    """Count a request. Return 0, or in how many seconds to retry if there were too many in this minute."""
    now = timezone.now()
    key = f"api:{token.pk}:{now:%H%M}"
    try:
        count = cache.incr(key)
    except ValueError:
        cache.add(key, 1, timeout=120)
        return 0
    return 60 - now.second if count > REQUESTS_PER_MINUTE else 0


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()
