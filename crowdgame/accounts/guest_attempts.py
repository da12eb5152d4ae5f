"""Lockout of guest accounts after repeated wrong passwords, counted like those of organizers."""

from collections.abc import Callable
from hashlib import sha256

from allauth.core import ratelimit
from django.http import HttpRequest

from crowdgame.accounts.models import Guest
from crowdgame.accounts.password_hashing import hashing_turn


class AccountLocked(Exception):
    """Too many failed logins."""

    def __str__(self) -> str:
        return "Too many failed attempts. Try again in 15 minutes; trying sooner doesn't extend the wait."


def attempt_login(request: HttpRequest, name: str, find: Callable[[], Guest | None]) -> Guest | None:
    """Return what `find` returns, and count None as a failed login of `name`.

    The attempt counts before its password is checked, so that simultaneous guesses cannot exceed the limit.
    `find` is not called during a lockout. Raises AccountLocked, ServerBusy, RedisError.
    """
    key = f"guest {sha256(name.encode()).hexdigest()}"
    with hashing_turn():
        if not ratelimit.consume(request, action="login_failed", key=key):
            raise AccountLocked
        found = find()
    if found is not None:
        ratelimit.clear(request, action="login_failed", key=key)
    return found
