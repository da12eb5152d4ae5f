"""The form in which an organizer signs up."""

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from crowdgame.accounts.invitations import spend_invitation
from crowdgame.accounts.password_hashing import hashing_turn


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    """If the address has an account, its owner gets an e-mail, and the form responds as if it had none."""

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Save the form. For an address that has an account, take as long and spend the invitation, too.

        Raises ImmediateHttpResponse and ServerBusy, see `save`.
        """
        if self.account_already_exists:
            with hashing_turn():
                make_password(self.cleaned_data["password1"])
                self._spend_invitation(request, None)
        saved: tuple[User | None, HttpResponse | None] = super().try_save(request)
        return saved

    def save(self, request: HttpRequest) -> User:
        """Create the account and spend the invitation, both or neither.

        Raises ImmediateHttpResponse if somebody else has used the invitation meanwhile. Raises ServerBusy.
        """
        with hashing_turn(), transaction.atomic():
            user: User = super().save(request)
            self._spend_invitation(request, user)
        return user

    def _spend_invitation(self, request: HttpRequest, user: User | None) -> None:
        if not spend_invitation(request, user) and settings.SIGNUP != "open":
            raise ImmediateHttpResponse(redirect("account_signup"))
