"""A link that logs its owner in: once, for a while, and nobody else."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.sign_in import LIFE_S, EntryTokens, entry_path, entry_tokens
from games.models import Event
from tests.voting.browsing import event, organizer

__all__ = ["event", "organizer"]

pytestmark = pytest.mark.django_db


def test_a_link_logs_in_once(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    looked_at = client.get(path)
    assert "Enter the control room" in looked_at.content.decode()
    assert "_auth_user_id" not in client.session
    assert client.post(path).headers["Location"] == "/console/"
    assert client.session["_auth_user_id"] == str(organizer.pk)
    later = Client()
    assert later.get(path).status_code == 410
    assert later.post(path).status_code == 410
    assert "_auth_user_id" not in later.session


def test_a_link_may_lead_to_a_control_room(client: Client, organizer: User, event: Event) -> None:
    answer = client.post(entry_path(organizer, event.code))
    assert answer.headers["Location"] == f"/console/{event.code}/"


def test_a_link_is_spent_by_any_login(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    client.login(username="ada", password="lovelace")
    assert Client().post(path).status_code == 410


def test_a_link_made_and_spent_in_the_second_of_the_last_login(client: Client, organizer: User) -> None:
    organizer.last_login = timezone.now().replace(microsecond=1)
    organizer.save()
    token = entry_tokens.make_token(organizer)
    organizer.last_login = organizer.last_login.replace(microsecond=2)
    assert not entry_tokens.check_token(organizer, token)


class YesterdaysTokens(EntryTokens):
    def _now(self) -> Any:
        return super()._now() - timedelta(seconds=LIFE_S + 1)


def test_a_link_grows_old(organizer: User) -> None:
    assert not entry_tokens.check_token(organizer, YesterdaysTokens().make_token(organizer))


@pytest.mark.parametrize("path", ["MQ/nonsense/", "!!/a-b/", "MQ/a-b/BCDF/", "OTk5/a-b/"])
def test_no_such_link(client: Client, organizer: User, path: str) -> None:
    answer = client.get(f"/console/enter/{path}")
    assert answer.status_code == 410
    assert "used up" in answer.content.decode()


def test_a_link_lets_in_nobody_who_was_shut_out(client: Client, organizer: User) -> None:
    path = entry_path(organizer)
    User.objects.filter(pk=organizer.pk).update(is_active=False)
    assert client.post(path).status_code == 410
