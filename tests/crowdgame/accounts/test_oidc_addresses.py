"""An OpenID Connect identity gets the account with its address only if the provider is trusted with it."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import User
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

ADDRESS = "ada@example.org"
MISSING = object()


@pytest.fixture(autouse=True)
def ada() -> User:
    ada = User.objects.create_user("ada", ADDRESS, "correct horse battery")
    EmailAddress.objects.create(user=ada, email=ADDRESS, verified=True, primary=True)
    return ada


def configure(settings: Any, *, trusted: bool) -> None:
    app = {
        "provider_id": "oidc",
        "name": "School",
        "client_id": "crowdgame",
        "secret": "",
        "settings": {"server_url": "https://school.example.org", "email_authentication": trusted},
    }
    provider = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] | {"APPS": [app]}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": provider}


def log_in_by_provider(claims: dict[str, Any]) -> str:
    """Complete a login with these claims. Returns the name of the user who is logged in then."""

    def answer(request: HttpRequest) -> HttpResponse:
        with context.request_context(request):
            provider = get_adapter().get_provider(request, "oidc")
            login = provider.sociallogin_from_response(request, {"userinfo": claims, "id_token": claims})
            login.state = {"process": "login"}
            complete_social_login(request, login)
        names.append(request.user.get_username())
        return HttpResponse()

    names: list[str] = []
    middleware = SessionMiddleware(AuthenticationMiddleware(MessageMiddleware(answer)))
    middleware(RequestFactory().get("/console/oidc/oidc/login/callback/"))
    return names[0]


@pytest.mark.parametrize(
    ("trusted", "verified", "name"),
    [
        *[(False, verified, "") for verified in (True, False)],
        *[(True, verified, "ada") for verified in (True, "true")],
        *[(True, verified, "") for verified in (False, "false", "0", 1, None)],
        (True, MISSING, ""),
    ],
)
def test_identity_gets_account_by_verified_address_of_trusted_provider(
    trusted: bool, verified: object, name: str, settings: Any
) -> None:
    configure(settings, trusted=trusted)
    claims: dict[str, object] = {"sub": "7", "email": ADDRESS, "name": "Mallory"}
    claims |= {} if verified is MISSING else {"email_verified": verified}
    assert log_in_by_provider(claims) == name


@pytest.mark.parametrize(("signup", "accounts"), [("invitation", 2), ("closed", 1)])
def test_identity_gets_a_new_account_unless_sign_up_is_closed(
    signup: str, accounts: int, settings: Any
) -> None:
    configure(settings, trusted=False)
    settings.SIGNUP = signup
    log_in_by_provider({"sub": "7", "email": "bob@example.org", "email_verified": True, "name": "Bob"})
    assert User.objects.count() == accounts
