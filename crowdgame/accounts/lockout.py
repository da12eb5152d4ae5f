"""Login lockout against password guessing (brute force; django-axes), by account name.

Login attempts from all addresses count together. Redis counts the failures of a name for 15 minutes, under
a hash of the name. No address and no browser is stored or logged.

A login link still works during a lockout. Nobody can keep an organizer out by failing on purpose.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from axes.backends import AxesStandaloneBackend
from axes.handlers.cache import AxesCacheHandler
from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth.views import LoginView
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis import RedisError


class LockoutBackend(AxesStandaloneBackend):  # type: ignore[misc]
    """Check for a lockout before any password. Skipped without a request: that is a call by our own code."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:
        if request is not None:
            super().authenticate(request, **credentials)


class LockoutHandler(AxesCacheHandler):  # type: ignore[misc]
    """Failure counts in the cache, by account name."""

    def user_logged_in(self, *args: Any, **kwargs: Any) -> None:
        """Reset the count. A login succeeds even without Redis; the count then expires by itself."""
        with suppress(RedisError):
            super().user_logged_in(*args, **kwargs)


class LockoutLoginView(LoginView):
    """The organizers' login page. Responds with 429 and Retry-After during a lockout."""

    template_name = "accounts/organizer_login.html"

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = super().post(*args, **kwargs)
        if getattr(self.request, "axes_locked_out", False):
            tried: dict[str, str] = getattr(self.request, "axes_credentials", {})  # the name as counted
            return self._locked_response(seconds_left(tried["username"]))
        return answer

    def _locked_response(self, seconds: int) -> HttpResponse:
        answer = render(self.request, "accounts/locked.html", {"minutes": -(-seconds // 60)}, status=429)
        answer.headers["Retry-After"] = str(seconds)
        return answer


@dataclass(frozen=True, slots=True)
class AccountLocked(Exception):
    """Too many failed logins. The lockout ends in `seconds`."""

    seconds: int

    def __str__(self) -> str:
        minutes = -(-self.seconds // 60)
        again = f"Try again in {minutes} minutes; trying sooner doesn't extend the wait."
        return f"Too many failed attempts. {again}"


Found = TypeVar("Found")


def attempt_login(request: HttpRequest, name: str, find: Callable[[], Found | None]) -> Found | None:
    """Return what `find` returns, and count None as a failed login of `name`.

    For guest accounts, which are not Django users. `find` is not called during a lockout, and its success
    resets the count. Raises AccountLocked, RedisError.
    """
    credentials = {"username": name}
    if not AxesProxyHandler.is_allowed(request, credentials):
        raise AccountLocked(seconds_left(name))
    found = find()
    if found is not None:
        AxesProxyHandler.reset_attempts(username=name)
        return found
    AxesProxyHandler.user_login_failed(attempt_login, credentials, request)
    if getattr(request, "axes_locked_out", False):
        raise AccountLocked(seconds_left(name))
    return None


def seconds_left(name: str) -> int:
    """Return the seconds until the lockout of `name` ends, at least 1. The first call fixes its end."""
    lasts = int(settings.AXES_COOLOFF_TIME.total_seconds())
    kept = caches[settings.AXES_CACHE]
    key = f"locked-until-{sha256(name.encode()).hexdigest()}"
    until = kept.get_or_set(key, lambda: time.time() + lasts, lasts)
    return max(1, round((until or 0) - time.time()))


def no_client_ip(_: HttpRequest) -> None:
    """Return no client address to django-axes, for privacy."""


def no_client_name(*_: Any) -> str:
    """Return the name that django-axes writes to its log: the same for all accounts, for privacy."""
    return "an account"
