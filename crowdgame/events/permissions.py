"""Organizer permissions in the console: a set per role, and the role of a session.

Nothing is cached: each check reads session, user and role from the database.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.utils.crypto import constant_time_compare

from crowdgame.events.models import Member, OrganizationMember
from voting.models import Event
from voting.protocol import Role

EventPermission = Literal["view", "run", "rehearse"]

ROLE_PERMISSIONS: dict[Role, frozenset[EventPermission]] = {
    Role.OWNER: frozenset({"view", "run", "rehearse"}),
    Role.COHOST: frozenset({"view", "run", "rehearse"}),
    Role.VIEWER: frozenset({"view"}),
}


@dataclass(frozen=True, slots=True)
class OrganizerAccess:
    """An organizer's user name and id, and role in one event. Every role permits at least `view`."""

    name: str
    role: Role
    user_id: int

    def may(self, permission: EventPermission) -> bool:
        return permission in ROLE_PERMISSIONS[self.role]


def find_access(session_key: str | None, event_id: int) -> OrganizerAccess | None:
    """Return the access of the session's user, or None if they have no role or the session isn't valid."""
    user = find_session_user(session_key)
    role = role_at_event(user, event_id) if user else None
    return OrganizerAccess(user.get_username(), role, user.pk) if user and role else None


def find_session_user(session_key: str | None) -> User | None:
    """Return the session's user. None if the session ended, the password changed or the user is inactive."""
    session = _load_session(session_key) if session_key else {}
    user = User.objects.filter(pk=int(session.get(SESSION_KEY, 0)), is_active=True).first()
    if user is None:
        return None
    signed = str(session.get(HASH_SESSION_KEY, ""))
    good = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return user if any(constant_time_compare(signed, one) for one in good) else None


def _load_session(key: str) -> dict[str, Any]:
    session: dict[str, Any] = import_module(settings.SESSION_ENGINE).SessionStore(key).load()
    return session


def role_at_event(user: User, event_id: int) -> Role | None:
    """Return the user's role in the event, or None. A superuser counts as owner of every event.

    Of a member's own role and that in the event's organization, the stronger one counts.
    """
    if user.is_superuser or Event.objects.filter(pk=event_id, owner_id=user.pk).exists():
        return Role.OWNER
    own = Member.objects.filter(event_id=event_id, user_id=user.pk)
    shared = OrganizationMember.objects.filter(
        organization__shared_events__event_id=event_id, user_id=user.pk
    )
    return strongest_role(own.values_list("role", flat=True).union(shared.values_list("role", flat=True)))


def strongest_role(held: Iterable[str | None]) -> Role | None:
    roles = set(held)
    return next((role for role in Role if role in roles), None)
