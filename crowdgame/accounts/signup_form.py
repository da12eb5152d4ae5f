"""The form in which an organizer signs up."""

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.core.exceptions import ImmediateHttpResponse
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import redirect

from crowdgame.accounts.invitations import spend_invitation
from crowdgame.accounts.password_hashing import hashing_turn


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    def save(self, request: HttpRequest) -> User:
        """Create the account and spend the invitation, both or neither.

        Raises ImmediateHttpResponse if somebody else has used the invitation meanwhile. Raises ServerBusy.
        """
        with hashing_turn(), transaction.atomic():
            user: User = super().save(request)
            if not spend_invitation(request, user) and settings.SIGNUP != "open":
                raise ImmediateHttpResponse(redirect("account_signup"))
        return user
