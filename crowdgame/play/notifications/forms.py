"""The form of a guest's e-mail address."""

from django import forms
from django.utils.translation import gettext_lazy as _


class AddressForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"invalid": _("Enter a valid e-mail address.")},
    )
