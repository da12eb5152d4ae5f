"""Login lockout against password guessing (brute force; django-axes), by account name.

Login attempts from all addresses count together. Redis counts the failures of a name for 15 minutes, under
a hash of the name. No address and no browser is stored or logged.

A login link still works during a lockout. Nobody can keep an organizer out by failing on purpose.
"""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from axes.backends import AxesBackend
from axes.handlers.cache import AxesCacheHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_cache_keys
from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.views import LoginView
from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from redis import RedisError

from crowdgame.accounts.password_hashing import hashing_turn

log = logging.getLogger(__name__)

Found = TypeVar("Found")


class LockoutBackend(AxesBackend):  # type: ignore[misc]
    """Django's password check, with attempts counted. Without a request it is a call by our own code."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> Any:
        """Return the user, or None. Raises PermissionDenied during a lockout, ServerBusy, RedisError."""
        check = partial(ModelBackend.authenticate, self, request, username, password, **more)
        if request is None:
            return check()
        found = _count_and_check(request, {"username": username}, check)
        if request.axes_locked_out:  # type: ignore[attr-defined]
            raise PermissionDenied
        return found

    async def aauthenticate(self, request: HttpRequest | None, **credentials: Any) -> Any:
        return await sync_to_async(self.authenticate)(request, **credentials)


class LockoutHandler(AxesCacheHandler):  # type: ignore[misc]
    """Failure counts in the cache, by account name.

    An attempt counts as failed before its password is checked, so that simultaneous guesses cannot exceed the
    limit. A successful login resets the count.
    """

    def count_attempt(self, request: Any, credentials: dict[str, Any]) -> bool:
        """Count an attempt. Returns whether its password may be checked."""
        [key] = get_client_cache_keys(request, credentials)
        lasts = int(settings.AXES_COOLOFF_TIME.total_seconds())
        self.cache.add(key, 0, lasts)
        try:
            counted = request.axes_failures_since_start = self.cache.incr(key)
        except ValueError:  # the key has just expired or been reset
            return self.count_attempt(request, credentials)
        if counted <= settings.AXES_FAILURE_LIMIT:
            self.cache.touch(key, lasts)
        return bool(counted <= settings.AXES_FAILURE_LIMIT)

    def discount_attempt(self, request: Any, credentials: dict[str, Any]) -> None:
        """Take back an attempt whose password could not be checked."""
        [key] = get_client_cache_keys(request, credentials)
        with suppress(ValueError, RedisError):
            self.cache.decr(key)

    def user_login_failed(
        self, sender: object, credentials: dict[str, Any], request: Any = None, **_: Any
    ) -> None:
        """Lock the account after its last attempt."""
        if request is None:
            return
        request.axes_credentials = credentials
        if (request.axes_failures_since_start or 0) >= settings.AXES_FAILURE_LIMIT:
            request.axes_locked_out = True
            log.warning("an account was locked after %d wrong passwords", settings.AXES_FAILURE_LIMIT)

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


def attempt_login(request: HttpRequest, name: str, find: Callable[[], Found | None]) -> Found | None:
    """Return what `find` returns, and count None as a failed login of `name`.

    For guest accounts, which are not Django users. `find` is not called during a lockout, and its success
    resets the count. Raises AccountLocked, ServerBusy, RedisError.
    """
    credentials = {"username": name}
    found = _count_and_check(request, credentials, find)
    if found is not None:
        AxesProxyHandler.reset_attempts(username=name)
        return found
    AxesProxyHandler.user_login_failed(attempt_login, credentials, request)
    if request.axes_locked_out:  # type: ignore[attr-defined]
        raise AccountLocked(seconds_left(name))
    return None


def _count_and_check(
    request: Any, credentials: dict[str, Any], check: Callable[[], Found | None]
) -> Found | None:
    """Count an attempt and return what `check` returns.

    During a lockout `check` is not called, and `request.axes_locked_out` is set. An attempt that ends with an
    exception, such as ServerBusy, doesn't count.
    """
    handler = AxesProxyHandler.get_implementation()
    if AxesProxyHandler.is_allowed(request, credentials):
        with hashing_turn():
            if handler.count_attempt(request, credentials):
                with ExitStack() as on_error:
                    on_error.callback(handler.discount_attempt, request, credentials)
                    found = check()
                    on_error.pop_all()
                return found
    request.axes_locked_out = True
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
