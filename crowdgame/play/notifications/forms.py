"""The forms of e-mail addresses and of devices."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.http import urlsafe_base64_decode
from django.utils.translation import gettext_lazy as _

from crowdgame.play.notifications.push_encryption import AUTH_SECRET_BYTES, read_public_key
from crowdgame.play.notifications.vapid import is_known
from crowdgame.server.web.address_field import AddressField
from crowdgame.server.web.outgoing_request import RefusedAddress, check_url


class AddressForm(forms.Form):
    email = AddressField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class SeatForm(forms.Form):
    """A script fills in the seat token that the phone page stored in the browser, and the time zone."""

    seat = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    time_zone = forms.CharField(required=False, max_length=40, widget=forms.HiddenInput)

    def clean_time_zone(self) -> str:
        """Return an empty string if the time zone is unknown."""
        name: str = self.cleaned_data["time_zone"]
        return name if name in available_timezones() else ""


class VoterAddressForm(AddressForm, SeatForm):
    pass


class SubscriptionForm(forms.Form):
    """A push subscription as a browser reports it. The server must be allowed and able to send to it."""

    endpoint = forms.CharField()
    p256dh = forms.CharField(max_length=87)
    auth = forms.CharField(max_length=22)
    application_key = forms.CharField()

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        try:
            is_usable = _is_push_service(check_url(values["endpoint"]).hostname or "")
            read_public_key(urlsafe_base64_decode(values["p256dh"]))
            secret = urlsafe_base64_decode(values["auth"])
            is_usable &= len(secret) == AUTH_SECRET_BYTES and is_known(values["application_key"])
        except (KeyError, ValueError, RefusedAddress):
            is_usable = False
        if not is_usable:
            self.add_error(None, "")
        return values


def _is_push_service(host: str) -> bool:
    return any(f".{host}".endswith(f".{service.removeprefix('.')}") for service in settings.PUSH_SERVICES)
