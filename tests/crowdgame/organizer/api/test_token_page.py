"""The page of an organizer's API tokens, and the page that describes the API."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.accounts.models import Guest
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.openapi import openapi
from crowdgame.organizer.api.tokens import create_token, find_token
from tests.voting.match_helpers import new_event, organizer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]
PAGE = "/console/tokens/"
WANTED = {"name": "scoreboard", "scopes": ["read", "create"], "code": "", "days": "30"}
SHOWN = re.compile(r'value="(crowdgame_[\w-]+)"')


def test_new_token_is_shown_once_and_works(olga: Client) -> None:
    [token] = SHOWN.findall(olga.post(PAGE, WANTED).content.decode())
    row = find_token(token)
    assert row
    assert (row.user, row.name, row.scopes, row.event) == (
        organizer(),
        "scoreboard",
        ["read", "create"],
        None,
    )
    assert row.expires_at
    assert (row.expires_at - row.created_at).days in {29, 30}
    listed = olga.get(PAGE).content.decode()
    assert "scoreboard" in listed
    assert token not in listed


def test_token_of_one_event(olga: Client) -> None:
    event = new_event()
    olga.post(PAGE, WANTED | {"code": f" {event.code.lower()} ", "days": ""})
    row = ApiToken.objects.get()
    assert (row.event, row.expires_at) == (event, None)


@pytest.mark.parametrize("wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["own"]}, {"days": "9999"}])
def test_incomplete_token_is_not_created(olga: Client, wrong: dict[str, object]) -> None:
    assert olga.post(PAGE, WANTED | wrong).status_code == 400
    assert not ApiToken.objects.exists()


def test_event_of_somebody_else_is_refused(olga: Client) -> None:
    event = new_event()
    event.owner = User.objects.create(username="boris")
    event.save()
    assert olga.post(PAGE, WANTED | {"code": event.code}).status_code == 400
    assert not ApiToken.objects.exists()


def test_organizer_revokes_only_own_tokens(olga: Client) -> None:
    mine = create_token(organizer(), "mine", ("read",))
    other = create_token(organizer("boris"), "other", ("read",))
    for row in ApiToken.objects.all():
        olga.post(PAGE, {"revoke": row.pk})
    assert (find_token(mine), bool(find_token(other))) == (None, True)


@pytest.mark.parametrize("method", ["get", "post"])
def test_password_is_asked_before_the_page_opens(client: Client, method: str) -> None:
    """A session that has been left open is not enough."""
    client.force_login(organizer())
    answer = getattr(client, method)(PAGE, WANTED)
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/console/reauthenticate/")
    assert not ApiToken.objects.exists()


def test_guest_gets_no_token(client: Client) -> None:
    user = organizer("visitor")
    Guest.objects.create(number=1, user=user, name="Visitor", name_skeleton="visitor")
    client.force_login(user)
    assert client.post(PAGE, WANTED).headers["Location"] == "/console/"
    assert not ApiToken.objects.exists()


def test_page_of_the_api_lists_operations_with_their_fields(client: Client) -> None:
    page = client.get("/api/v1/").content.decode()
    assert "/api/v1/events/{code}/actions/turn.extend/" in page
    assert "integer, 1 to 2592000" in page
    assert "two-halls" in page


def test_page_of_the_api_is_in_english_whoever_asks_first(client: Client) -> None:
    for cached in (openapi, endpoints):
        cached.cache_clear()
    assert "Time to vote" in client.get("/api/v1/?locale=de").content.decode()
