"""Against guessing of passwords: an account that was tried too often rests, wherever it was tried from.

The failures of a name are counted in Redis for a quarter of an hour: a hash of the name and a number. No
address and no browser is kept, in a table or in a log. A login link works meanwhile: who locks out an
organizer by failing on purpose does not keep them out.
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
    """Asked before the password is looked at. Without a request nobody is guessing: it is our own code."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:
        if request is not None:
            super().authenticate(request, **credentials)


class LockoutHandler(AxesCacheHandler):  # type: ignore[misc]
    """Their number, by the account's name."""

    def user_logged_in(self, *args: Any, **kwargs: Any) -> None:
        """Who is in is in, also while Redis is away; the number passes by itself."""
        with suppress(RedisError):
            super().user_logged_in(*args, **kwargs)


class LockoutLoginView(LoginView):
    """Says that an account is locked, and until when."""

    template_name = "accounts/organizer_login.html"

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            answer = super().post(*args, **kwargs)
            if getattr(self.request, "axes_locked_out", False):
                tried: dict[str, str] = getattr(self.request, "axes_credentials", {})  # cleaned, as counted
                return self._locked_response(seconds_left(tried["username"]))
        except RedisError:
            return render(self.request, "accounts/locked.html", {"away": True}, status=503)
        return answer

    def _locked_response(self, seconds: int) -> HttpResponse:
        answer = render(self.request, "accounts/locked.html", {"minutes": -(-seconds // 60)}, status=429)
        answer.headers["Retry-After"] = str(seconds)
        return answer


@dataclass(frozen=True, slots=True)
class AccountLocked(Exception):
    """Tried too often."""

    seconds: int

    @property
    def minutes(self) -> int:
        return -(-self.seconds // 60)


Found = TypeVar("Found")


def attempt_login(request: HttpRequest, name: str, find: Callable[[], Found | None]) -> Found | None:
    """What `find` finds by a password, for accounts that are no user's. Raises Locked, RedisError."""
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
    """Of a lock; counted from the first time that this is asked."""
    lasts = int(settings.AXES_COOLOFF_TIME.total_seconds())
    kept = caches[settings.AXES_CACHE]
    key = f"locked-until-{sha256(name.encode()).hexdigest()}"
    until = kept.get_or_set(key, lambda: time.time() + lasts, lasts)
    return max(1, round((until or 0) - time.time()))


def no_client_ip(_: HttpRequest) -> None:
    """Where a login was tried from, for django-axes: no address, as that is nobody's business."""


def no_client_name(*_: Any) -> str:
    """Who tried, for its log."""
    return "an account"
