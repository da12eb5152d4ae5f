"""Checks passwords and permissions. Loads users with the guest whose account it is, if any."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, Permission, User
from django.db.models import Q
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

    def get_all_permissions(self, user: Any, obj: Any = None) -> set[str]:
        """Return the user's and their groups' permissions. Django makes a query for each of the two."""
        if obj is not None or user.is_superuser or not user.is_active:
            return set(super().get_all_permissions(user, obj))
        if not hasattr(user, "_perm_cache"):
            given = Permission.objects.filter(Q(user=user.pk) | Q(group__user=user.pk)).distinct()
            names = given.values_list("content_type__app_label", "codename").order_by()
            user._perm_cache = {f"{app}.{codename}" for app, codename in names}
        return set(user._perm_cache)

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
