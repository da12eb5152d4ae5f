"""What the account pages need to know of the settings and of who is logged in."""

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from crowdgame.accounts.backend import guest_of


def account_settings(request: HttpRequest) -> dict[str, object]:
    """`passkeys`: the page has a secure context, without which browsers offer none."""
    host = request.get_host().partition(":")[0]
    return {
        "sends_mail": settings.EMAIL_ENABLED,
        "passkeys": settings.HTTPS or host == "localhost",
        "can_sign_up": lambda: get_adapter().is_open_for_signup(request),
        "player": SimpleLazyObject(lambda: guest_of(request.user)),
    }
