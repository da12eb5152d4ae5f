from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import complete_social_login
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import User
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from crowdgame.accounts import invitations
from crowdgame.accounts.login_links import LINK_MAX_AGE_S, LoginLinkTokens, login_link_path, login_link_tokens
from crowdgame.accounts.models import Invitation
from voting.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]


def test_login_link_works_once_and_other_links_never(client: Client, organizer: User) -> None:
    path = login_link_path(organizer)
    opened = client.get(path)
    assert "Open the console" in opened.content.decode()
    assert "_auth_user_id" not in client.session
    assert client.post(path).headers["Location"] == "/console/"
    assert client.session["_auth_user_id"] == str(organizer.pk)
    second_client = Client()
    malformed = [f"/console/enter/{part}/" for part in ("MQ/nonsense", "!!/a-b", "MQ/a-b/BCDF", "OTk5/a-b")]
    for gone in (path, *malformed):
        answer = second_client.get(gone)
        assert (answer.status_code, "no longer valid" in answer.content.decode()) == (410, True)
    assert second_client.post(path).status_code == 410
    assert "_auth_user_id" not in second_client.session


def test_login_link_used_twice_at_once_logs_in_one_client(client: Client, organizer: User) -> None:
    """The second request runs between the first one's check of the link and its write."""
    path, waiting, statuses = login_link_path(organizer), [Client()], list[int]()

    def run_second_request(execute: Any, sql: str, *arguments: Any) -> Any:
        if sql.startswith("UPDATE") and waiting:
            statuses.append(waiting.pop().post(path).status_code)
        return execute(sql, *arguments)

    with connection.execute_wrapper(run_second_request):
        statuses.append(client.post(path).status_code)
    assert statuses == [302, 410]
    assert "_auth_user_id" not in client.session


def test_login_spends_links_of_its_user(client: Client, organizer: User, other: User, event: Event) -> None:
    """None of the two has logged in before."""
    path, others_path = login_link_path(organizer), login_link_path(other)
    client.login(username="ada", password="lovelace")
    assert Client().post(path).status_code == 410
    other.refresh_from_db()
    assert other.last_login is None
    assert Client().post(others_path).status_code == 302
    again = client.post(login_link_path(User.objects.get(pk=organizer.pk), event.code))
    assert again.headers["Location"] == f"/console/{event.code}/"
    path = login_link_path(User.objects.get(pk=organizer.pk))
    User.objects.filter(pk=organizer.pk).update(is_active=False)
    assert client.post(path).status_code == 410


def test_login_token_is_bound_to_its_time_and_the_last_login(organizer: User) -> None:
    class ExpiredTokens(LoginLinkTokens):
        def _now(self) -> Any:
            return super()._now() - timedelta(seconds=LINK_MAX_AGE_S + 1)

    organizer.last_login = timezone.now().replace(microsecond=1)
    token = login_link_tokens.make_token(organizer)
    organizer.last_login = organizer.last_login.replace(microsecond=2)
    assert not login_link_tokens.check_token(organizer, token), "another login within the same second"
    expired = ExpiredTokens().make_token(organizer)
    assert not login_link_tokens.check_token(organizer, expired)
    now = login_link_tokens.make_token(organizer).split("-")[0]
    assert not login_link_tokens.check_token(organizer, f"{now}-{expired.split('-')[1]}")


@pytest.mark.parametrize("administrator", [False, True])
def test_invitation_is_spent_once_or_revoked_and_affects_no_other(administrator: bool, other: User) -> None:
    def opened(*chosen: Invitation) -> HttpRequest:
        request = RequestFactory().post("/console/signup/")
        request.session = SessionStore()
        for one in chosen:
            request.session[invitations.SESSION_KEY] = one.pk
        return request

    for name in ("mine", "open", "revoked"):
        invitations.create_invitation(name, administrator=administrator == (name == "mine"))
    mine, still_open, revoked = Invitation.objects.order_by("pk")
    request = opened(mine)
    assert invitations.find_open_invitation(request) == mine
    assert invitations.spend_invitation(request, other)
    assert not any(invitations.spend_invitation(again, other) for again in (request, opened(mine), opened()))
    assert [invitations.find_open_invitation(again) for again in (opened(mine), opened())] == [None, None]
    assert invitations.find_open_invitation(opened(still_open)) == still_open
    other.refresh_from_db()
    assert (other.is_staff, other.is_superuser) == (administrator, administrator)
    for one in (mine, revoked, revoked):
        invitations.revoke_invitation(one.pk)
    kept = Invitation.objects.order_by("pk").values_list("name", "used_by__username")
    assert list(kept) == [("mine", "bob"), ("open", None)]


def log_in_by_provider(claims: dict[str, Any], settings: Any, *, trusted: bool) -> str:
    """Complete a login with these claims. Returns the name of the user who is logged in then."""
    app: dict[str, object] = {"provider_id": "oidc", "name": "School", "client_id": "crowdgame", "secret": ""}
    app |= {"settings": {"server_url": "https://school.example.org", "email_authentication": trusted}}
    provider = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"] | {"APPS": [app]}
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": provider}

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
        *[(False, {"email_verified": verified}, "") for verified in (True, False)],
        *[(True, {"email_verified": verified}, "ada") for verified in (True, "true")],
        *[(True, {"email_verified": verified}, "") for verified in (False, "false", "0", 1, None)],
        (True, {}, ""),
    ],
)
def test_identity_gets_account_by_verified_address_of_trusted_provider(
    trusted: bool, verified: dict[str, object], name: str, organizer: User, settings: Any
) -> None:
    EmailAddress.objects.create(user=organizer, email="ada@example.org", verified=True, primary=True)
    claims = {"sub": "7", "email": "ada@example.org", "name": "Mallory"} | verified
    assert log_in_by_provider(claims, settings, trusted=trusted) == name


@pytest.mark.parametrize(("signup", "accounts"), [("invitation", 1), ("closed", 0)])
def test_identity_gets_account_unless_sign_up_is_closed(signup: str, accounts: int, settings: Any) -> None:
    settings.SIGNUP = signup
    claims = {"sub": "7", "email": "bob@example.org", "email_verified": True, "name": "Bob"}
    log_in_by_provider(claims, settings, trusted=False)
    assert User.objects.count() == accounts
