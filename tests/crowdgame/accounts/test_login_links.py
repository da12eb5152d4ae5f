"""Login links work once, for a limited time, and only for their owner."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.login_links import LINK_MAX_AGE_S, LoginLinkTokens, login_link_path, login_link_tokens
from tests.voting.page_fixtures import event, organizer, other
from voting.models import Event

__all__ = ["event", "organizer", "other"]

pytestmark = pytest.mark.django_db


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
