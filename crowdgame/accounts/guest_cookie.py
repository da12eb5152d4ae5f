"""Who somebody in the hall is: a signed cookie, which a guest gets with the first game or message.

An account's holds a sign of its password as well: with another password, or without one, it is nobody's.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from crowdgame.accounts.guest_names import find_guest
from crowdgame.accounts.models import Guest

COOKIE = f"{'__Host-' if settings.HTTPS else ''}guest"
GUEST_COOKIE_SALT = "crowdgame.guest"
COOKIE_MAX_AGE_S = 400 * 24 * 3600  # longer than that no browser keeps one


def current_guest(request: HttpRequest) -> Guest | None:
    """Whoever has the cookie; looking alone makes nobody one."""
    pk, _, signature = (
        request.get_signed_cookie(COOKIE, default="", salt=GUEST_COOKIE_SALT) or ""
    ).partition(".")
    guest = find_guest(int(pk)) if pk else None
    return guest if guest and constant_time_compare(signature, _guest_signature(guest)) else None


def set_guest_cookie(answer: HttpResponse, guest: Guest) -> HttpResponse:
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
    answer.set_cookie(COOKIE, "", max_age=0, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return answer


def _guest_signature(guest: Guest) -> str:
    return salted_hmac(GUEST_COOKIE_SALT, guest.password).hexdigest() if guest.has_account else ""
