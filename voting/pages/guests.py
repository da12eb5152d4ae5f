"""Who somebody in the hall is: a signed cookie, which a guest gets with the first game or message."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from games.models import Guest

COOKIE = f"{'__Host-' if settings.HTTPS else ''}guest"
SALT = "crowdgame.guest"
KEPT_S = 400 * 24 * 3600  # longer than that no browser keeps one


def guest_of(request: HttpRequest) -> Guest | None:
    """Whoever has the cookie; looking alone makes nobody one."""
    pk = request.get_signed_cookie(COOKIE, default="", salt=SALT)
    return Guest.objects.filter(pk=int(pk)).first() if pk else None


def known(answer: HttpResponse, guest: Guest) -> HttpResponse:
    answer.set_signed_cookie(
        COOKIE,
        str(guest.pk),
        salt=SALT,
        max_age=KEPT_S,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
    return answer
