"""Checks names, addresses and passwords at logins. Loads users with the guest whose account it is, if any."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.http import HttpRequest

from crowdgame.accounts.models import Guest


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]
    """Checks each account's password once, although django-allauth looks up an address twice, also as a name.

    Otherwise a wrong password would take longer for addresses that have an account.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        self._checked: set[int] = set()
        user: User | None = super().authenticate(request, **credentials)
        return user

    def _check_password(self, user: User | None, password: str) -> User | None:
        if user is None or user.pk in self._checked:
            return None
        self._checked.add(user.pk)
        checked: User | None = super()._check_password(user, password)
        return checked

    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("guest").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None


def guest_of(user: AbstractBaseUser | AnonymousUser) -> Guest | None:
    """Return the guest whose account this is, or None. Such an account may not create events."""
    guest: Guest | None = getattr(user, "guest", None)
    return guest
