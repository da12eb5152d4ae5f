"""The forms of e-mail addresses."""

from django import forms
from django.utils.translation import gettext_lazy as _


class AddressForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"invalid": _("Enter a valid e-mail address.")},
    )


class VoterAddressForm(AddressForm):
    """A script fills in the seat token that the phone page stored in the browser, and the time zone."""

    seat = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    time_zone = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)
