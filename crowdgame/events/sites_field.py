"""The form field for the sites that may embed an event."""

import re
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from crowdgame.events.setting_fields import texts

MAX_SITES, MAX_LENGTH = 10, 1_000
HTTPS_PORT = 443
ORIGIN = re.compile(r"https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?")


class SitesField(forms.CharField):
    """Addresses of sites. The value is their origins as browsers write them, separated by spaces."""

    def __init__(self) -> None:
        widget = forms.Textarea({"rows": 2, "dir": "ltr"})
        super().__init__(max_length=MAX_LENGTH, required=False, widget=widget, **texts("embed_sites"))

    def to_python(self, value: Any) -> str:
        sites = str(super().to_python(value)).replace(",", " ").split()
        origins = list(dict.fromkeys(map(_find_origin, sites)))
        if len(origins) > MAX_SITES:
            raise ValidationError(_("List at most %(count)d sites."), params={"count": MAX_SITES})
        return " ".join(origins)


def _find_origin(site: str) -> str:
    """Return the origin of a site's https address. Raises ValidationError."""
    origin = ""
    with suppress(ValueError):
        address = urlsplit(site)
        host = (address.hostname or "").encode("idna").decode()
        port = f":{address.port}" if address.port not in (None, HTTPS_PORT) else ""
        origin = f"{address.scheme}://{host}{port}" if "@" not in address.netloc else ""
    if not ORIGIN.fullmatch(origin):
        text = _("Enter an address that begins with https://, not “%(site)s”.")
        raise ValidationError(text, params={"site": site})
    return origin
