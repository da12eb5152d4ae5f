"""Invitations and login links: each works once, for a limited time, and affects no other."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils import timezone

from crowdgame.accounts.invitations import (
    SESSION_KEY,
    create_invitation,
    find_invitation,
    find_open_invitation,
    revoke_invitation,
    spend_invitation,
)
from crowdgame.accounts.login_links import LINK_MAX_AGE_S, LoginLinkTokens, login_link_path, login_link_tokens
from crowdgame.accounts.models import Invitation
from tests.voting.page_fixtures import event, organizer, other
from voting.models import Event

pytestmark = pytest.mark.django_db

__all__ = ["event", "organizer", "other"]


def test_login_link_works_once(client: Client, organizer: User) -> None:
    path = login_link_path(organizer)
    opened = client.get(path)
    assert "Open the console" in opened.content.decode()
    assert "_auth_user_id" not in client.session
    assert client.post(path).headers["Location"] == "/console/"
    assert client.session["_auth_user_id"] == str(organizer.pk)
    second_client = Client()
    assert second_client.get(path).status_code == 410
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


def test_any_login_spends_only_links_of_its_user(
    client: Client, organizer: User, other: User, event: Event
) -> None:
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


class ExpiredTokens(LoginLinkTokens):
    def _now(self) -> Any:
        return super()._now() - timedelta(seconds=LINK_MAX_AGE_S + 1)


def test_login_token_is_bound_to_its_time_and_the_last_login(organizer: User) -> None:
    organizer.last_login = timezone.now().replace(microsecond=1)
    token = login_link_tokens.make_token(organizer)
    organizer.last_login = organizer.last_login.replace(microsecond=2)
    assert not login_link_tokens.check_token(organizer, token), "another login within the same second"
    expired = ExpiredTokens().make_token(organizer)
    assert not login_link_tokens.check_token(organizer, expired)
    now = login_link_tokens.make_token(organizer).split("-")[0]
    assert not login_link_tokens.check_token(organizer, f"{now}-{expired.split('-')[1]}")


@pytest.mark.parametrize("path", ["MQ/nonsense/", "!!/a-b/", "MQ/a-b/BCDF/", "OTk5/a-b/"])
def test_malformed_login_link_returns_410(client: Client, organizer: User, path: str) -> None:
    answer = client.get(f"/console/enter/{path}")
    assert answer.status_code == 410
    assert "no longer valid" in answer.content.decode()


@pytest.fixture
def user() -> User:
    return User.objects.create_user("olga")


def opened(invitation: Invitation | None) -> HttpRequest:
    request = RequestFactory().post("/console/signup/")
    request.session = SessionStore()
    if invitation:
        request.session[SESSION_KEY] = invitation.pk
    return request


def invitation(name: str, *, administrator: bool = False) -> Invitation:
    found = find_invitation(create_invitation(name, administrator=administrator))
    assert found
    return found


def test_spent_invitation_names_its_user_and_leaves_others_open(user: User) -> None:
    mine, other = invitation("Olga"), invitation("Otto")
    request = opened(mine)
    assert find_open_invitation(request) == mine
    assert spend_invitation(request, user)
    assert not spend_invitation(request, user)
    assert not spend_invitation(opened(mine), user)
    assert find_open_invitation(opened(mine)) is None
    assert find_open_invitation(opened(other)) == other
    assert find_open_invitation(opened(None)) is None
    assert not spend_invitation(opened(None), user)
    assert [one.used_by for one in Invitation.objects.order_by("pk")] == [user, None]


@pytest.mark.parametrize("administrator", [False, True])
def test_only_an_invitation_of_an_administrator_makes_one(administrator: bool, user: User) -> None:
    mine = invitation("Olga", administrator=administrator)
    invitation("Otto", administrator=not administrator)
    assert spend_invitation(opened(mine), user)
    user.refresh_from_db()
    assert (user.is_staff, user.is_superuser) == (administrator, administrator)


def test_only_the_revoked_unused_invitation_is_deleted(user: User) -> None:
    used, revoked, other = (invitation(name) for name in ("used", "revoked", "other"))
    assert spend_invitation(opened(used), user)
    for one in (used, revoked, revoked):
        revoke_invitation(one.pk)
    assert set(Invitation.objects.all()) == {used, other}
