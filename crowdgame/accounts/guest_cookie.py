"""The guest cookie: a signed cookie that identifies a guest. Set with the first game or chat message.

For an account it also holds an HMAC of the stored password hash. A changed or removed password makes it
invalid.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from crowdgame.accounts.guest_names import find_guest
from crowdgame.accounts.models import Guest

COOKIE = f"{'__Host-' if settings.HTTPS else ''}guest"
GUEST_COOKIE_SALT = "crowdgame.guest"
COOKIE_MAX_AGE_S = 400 * 24 * 3600  # the longest that browsers keep a cookie


def current_guest(request: HttpRequest) -> Guest | None:
    """Return the guest of a valid cookie, or None. Never creates a guest."""
    pk, _, signature = (
        request.get_signed_cookie(COOKIE, default="", salt=GUEST_COOKIE_SALT) or ""
    ).partition(".")
    guest = find_guest(int(pk)) if pk else None
    return guest if guest and constant_time_compare(signature, _guest_signature(guest)) else None


def set_guest_cookie(answer: HttpResponse, guest: Guest) -> HttpResponse:
    """Set the cookie on the response, and return the response. HttpOnly, SameSite=Lax, Secure with HTTPS."""
    answer.set_signed_cookie(
        COOKIE,
        f"{guest.pk}.{_guest_signature(guest)}",
        salt=GUEST_COOKIE_SALT,
        max_age=COOKIE_MAX_AGE_S,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
    return answer


def clear_guest_cookie(answer: HttpResponse) -> HttpResponse:
    """Delete the cookie on the response, and return the response."""
    answer.set_cookie(COOKIE, "", max_age=0, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return answer


def _guest_signature(guest: Guest) -> str:
    return salted_hmac(GUEST_COOKIE_SALT, guest.password).hexdigest() if guest.has_account else ""
