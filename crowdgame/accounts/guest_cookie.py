"""The guest cookie: a signed cookie that identifies a guest without an account.

It is set with the first game or chat message.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from crowdgame.accounts.backend import guest_of
from crowdgame.accounts.guest_names import find_guest, note_visit
from crowdgame.accounts.models import Guest

COOKIE = f"{'__Host-' if settings.HTTPS else ''}guest"
GUEST_COOKIE_SALT = "crowdgame.guest"


def current_guest(request: HttpRequest) -> Guest | None:
    """Return the guest who is logged in, or else the guest of a valid cookie. Never creates a guest."""
    if player := guest_of(request.user):
        note_visit(player)
    return player or cookie_guest(request)


def cookie_guest(request: HttpRequest) -> Guest | None:
    """Return the guest of a valid cookie, unless the guest has an account by now."""
    value = request.get_signed_cookie(COOKIE, default="", salt=GUEST_COOKIE_SALT) or ""
    pk = value.partition(".")[0]  # cookies of earlier versions continue after a point
    guest = find_guest(int(pk)) if pk else None
    return guest if guest and not guest.has_account else None


def set_guest_cookie(answer: HttpResponse, guest: Guest) -> HttpResponse:
    """Set the cookie of a guest without an account, and return the response.

    HttpOnly, SameSite=Lax, Secure with HTTPS.
    """
    if not guest.has_account:
        answer.set_signed_cookie(
            COOKIE,
            str(guest.pk),
            salt=GUEST_COOKIE_SALT,
            max_age=settings.GUEST_COOKIE_AGE,
            secure=settings.HTTPS,
            httponly=True,
            samesite="Lax",
        )
    return answer


def clear_guest_cookie(answer: HttpResponse) -> HttpResponse:
    """Delete the cookie on the response, and return the response."""
    answer.set_cookie(COOKIE, "", max_age=0, secure=settings.HTTPS, httponly=True, samesite="Lax")
    return answer
