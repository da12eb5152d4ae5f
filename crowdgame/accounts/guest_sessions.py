"""Logins of guests: what happens to the games of this browser, and how long the login lasts."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest

from crowdgame.accounts.accounts import transfer_games
from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.guest_cookie import cookie_guest


def extend_session(request: HttpRequest, user: User) -> None:
    """Keep a guest logged in as long as a guest without an account stays known."""
    if guest_of(user):
        request.session.set_expiry(settings.GUEST_COOKIE_AGE)


def receive_login(request: HttpRequest | None, user: User, **_signal: Any) -> None:
    """Move the unfinished games of this browser's guest to the account; the next page says so."""
    account = guest_of(user)
    if request is None or account is None:
        return
    request.session.set_expiry(settings.GUEST_COOKIE_AGE)
    if here := cookie_guest(request):
        for sentence in transfer_games(here, account):
            messages.success(request, sentence)
