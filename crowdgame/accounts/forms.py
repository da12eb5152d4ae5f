"""Forms of a guest account."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from crowdgame.accounts.accounts import clean_account_name
from crowdgame.accounts.models import GUEST_KEY_LENGTH


class GuestNameField(forms.CharField):
    def __init__(self) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"})
        super().__init__(label="Name", max_length=GUEST_KEY_LENGTH, widget=widget)

    def clean(self, value: Any) -> str:
        return clean_account_name(super().clean(value))


class PasswordField(forms.CharField):
    def __init__(self, label: str = "Password", *, new: bool = False) -> None:
        kind = "new-password" if new else "current-password"
        widget = forms.PasswordInput(attrs={"autocomplete": kind})
        super().__init__(label=label, strip=False, max_length=200, widget=widget)
        self.new = new
        self.help_text = "At least 8 characters, and not a common password." if new else ""

    def validate(self, value: Any) -> None:
        super().validate(value)
        if self.new:
            validate_password(value)


class CreateAccountForm(forms.Form):
    name = GuestNameField()
    password = PasswordField(new=True)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        name, password = cleaned.get("name", ""), cleaned.get("password", "")
        if name and name.casefold() in password.casefold():
            self.add_error("password", ValidationError("The password must not contain your name."))
        return cleaned


class LoginForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = PasswordField()


class RenameForm(forms.Form):
    name = GuestNameField()


class NewPasswordForm(forms.Form):
    password = PasswordField("Current password")
    new_password = PasswordField("New password", new=True)


class DeleteAccountForm(forms.Form):
    password = PasswordField("Your password")
