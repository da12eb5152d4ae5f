"""Who may do what in a control room: one table, and everything asked of the database anew."""

from importlib import import_module
from typing import Any, Literal

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.utils.crypto import constant_time_compare

from games.models import Event
from voting.protocol import Action

Right = Literal["look", "run", "rehearse"]

NEEDED: dict[Action, Right] = {
    "lobby.open": "run",
    "joining.lock": "run",
    "joining.unlock": "run",
    "match.start": "run",
    "match.abort": "run",
    "turn.pause": "run",
    "turn.resume": "run",
    "turn.extend": "run",
    "turn.close": "run",
    "turn.void": "run",
    "rehearsal.start": "rehearse",
    "rehearsal.stop": "rehearse",
}
OWNERS: frozenset[Right] = frozenset({"look", "run", "rehearse"})


def may(session_key: str | None, event_id: int, right: Right) -> bool:
    """Whether whoever is logged in with this session, still and not yet deactivated, has the right."""
    user = signed_in(session_key)
    return user is not None and right in _rights(user, event_id)


def signed_in(session_key: str | None) -> User | None:
    """Nobody once the session has ended, the password has changed or the account is closed."""
    told = _session(session_key) if session_key else {}
    user = User.objects.filter(pk=int(told.get(SESSION_KEY, 0)), is_active=True).first()
    if user is None:
        return None
    signed = str(told.get(HASH_SESSION_KEY, ""))
    good = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return user if any(constant_time_compare(signed, one) for one in good) else None


def _session(key: str) -> dict[str, Any]:
    told: dict[str, Any] = import_module(settings.SESSION_ENGINE).SessionStore(key).load()
    return told


def _rights(user: User, event_id: int) -> frozenset[Right]:
    """A superuser is an owner of every event."""
    owns = user.is_superuser or Event.objects.filter(pk=event_id, owner_id=user.pk).exists()
    return OWNERS if owns else frozenset()
