"""Forms of guest accounts, and the login form of all accounts."""

from typing import Any

from allauth.account.forms import LoginForm as AllauthLoginForm
from allauth.account.forms import ResetPasswordForm as AllauthResetPasswordForm
from allauth.account.forms import SignupForm
from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from crowdgame.accounts.accounts import MAX_KEY_LENGTH, clean_account_name, create_account
from crowdgame.accounts.guest_cookie import cookie_guest
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.guest_sessions import extend_session
from crowdgame.accounts.password_hashing import hashing_turn
from crowdgame.accounts.queued_mail import queue_reset


class GuestNameField(forms.CharField):
    def __init__(self) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"})
        super().__init__(label=_("Name"), max_length=MAX_KEY_LENGTH, widget=widget)

    def clean(self, value: Any) -> str:
        return clean_account_name(super().clean(value))


class GuestSignupForm(SignupForm):  # type: ignore[misc]
    """Asks for a name and a password only."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["email"]
        self.fields["username"] = GuestNameField()
        self.fields["password1"].help_text = _("At least 8 characters, and not a common password.")

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"])

    def save(self, request: HttpRequest) -> User:
        """Give an account to this browser's guest, or to a new one. Raises AccountError, ServerBusy."""
        with hashing_turn():
            guest = cookie_guest(request) or new_guest()
            return create_account(guest, self.cleaned_data["username"], self.cleaned_data["password1"])


class LoginForm(AllauthLoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs = {"autocomplete": "username", "autocapitalize": "none"}

    def login(self, request: HttpRequest, redirect_url: str | None = None) -> HttpResponse:
        """Log in. The original gives every session the age of organizers' ones."""
        response: HttpResponse = super().login(request, redirect_url)
        extend_session(request, self.user)
        return response


class ResetPasswordForm(AllauthResetPasswordForm):  # type: ignore[misc]  # allauth has no types
    """Leaves the look-up of the account to a worker."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"])

    def save(self, request: HttpRequest, **_: Any) -> str:
        email = str(self.cleaned_data["email"])
        if settings.EMAIL_ENABLED:
            queue_reset(email, get_language())
        return email


class RenameForm(forms.Form):
    name = GuestNameField()
