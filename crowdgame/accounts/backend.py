"""Loads the user of a request together with the guest whose account it is, if any."""

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User

from crowdgame.accounts.models import Guest


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]
    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("guest").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None


def guest_of(user: AbstractBaseUser | AnonymousUser) -> Guest | None:
    """Return the guest whose account this is, or None. Such an account may not create events."""
    guest: Guest | None = getattr(user, "guest", None)
    return guest
