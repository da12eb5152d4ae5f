"""A signed cookie for devices on which an organizer has logged in.

Strangers neither delay nor lock their logins. The cookie grants no access. The middleware sets it after every
login, whichever view made it.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core.signing import BadSignature, TimestampSigner
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.utils.deprecation import MiddlewareMixin

from crowdgame.accounts.backend import guest_of

COOKIE = f"{'__Host-' if settings.HTTPS else ''}known"
COOKIE_MAX_AGE_S = 180 * 24 * 3600
SALT = "crowdgame.known_device"


def find_known_user(scope: Any) -> str:
    """Return the id of the organizer who has logged in on this device, or an empty string."""
    cookies = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    return read_known_user(parse_cookie(cookies.decode("latin-1")))


def read_known_user(cookies: Mapping[str, str]) -> str:
    """Return the same from the cookies of a request."""
    try:
        return TimestampSigner(salt=SALT).unsign(cookies.get(COOKIE, ""), COOKIE_MAX_AGE_S)
    except BadSignature:
        return ""


@receiver(user_logged_in)
def note_login(request: HttpRequest | None, user: User, **_: Any) -> None:
    if request is not None and not guest_of(user):
        request.logged_in_user = user.pk  # type: ignore[attr-defined]


class KnownDeviceMiddleware(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if user_id := getattr(request, "logged_in_user", None):
            response.set_cookie(
                COOKIE,
                TimestampSigner(salt=SALT).sign(str(user_id)),
                max_age=COOKIE_MAX_AGE_S,
                secure=settings.HTTPS,
                httponly=True,
                samesite="Lax",
            )
        return response
