"""API tokens: who may do what with one, for how long, and the page on which organizers create them."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from crowdgame.accounts.models import Guest
from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.openapi import openapi
from crowdgame.organizer.api.tokens import REQUESTS_PER_MINUTE, create_token, find_token
from tests.crowdgame.organizer.api.api_program import Program, address
from tests.monitoring.probes import own_refusals
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]
PAGE = "/console/tokens/"
WANTED = {"name": "scoreboard", "scopes": ["read", "create"], "code": "", "days": "30"}
SHOWN = re.compile(r'value="(crowdgame_[\w-]+)"')


def test_request_without_valid_token_is_refused(event: Event) -> None:
    expired = create_token(organizer(), "old", ("read",), expires_at=timezone.now() - timedelta(seconds=1))
    for token in ("", "guess", expired):
        status, refusal = Program(token=token).call("GET", "events/")
        assert (status, refusal) == (401, {"title": "No valid token.", "status": 401})
    session = Client()
    session.force_login(organizer())
    assert session.get("/api/v1/events/").status_code == 401
    assert session.post(f"/api/v1/events/{event.code}/actions/match.start/").status_code == 401


def test_token_is_stored_as_hash_until_revocation_or_deactivation(event: Event) -> None:
    program, revoked = Program("read"), Program("read")
    row = ApiToken.objects.earliest("pk")
    assert (row.used_on, program.token in str(vars(row))) == (None, False)
    program.get("events/")
    row.refresh_from_db()
    assert row.used_on == timezone.localdate()
    ApiToken.objects.latest("pk").delete()
    assert [one.call("GET", "events/")[0] for one in (program, revoked)] == [200, 401]
    User.objects.update(is_active=False)
    assert program.call("GET", "events/")[0] == 401


@pytest.mark.parametrize("scope", ["read", "run", "create"])
def test_each_operation_needs_its_scope(event: Event, scope: Any) -> None:
    """A token to run events may read, too. Nothing is done without the scope."""
    start_match(event.pk, BallotBox())
    program, before = Program(scope), AuditEntry.objects.count()
    for one in endpoints():
        path = address(one.path, event)
        allowed = one.scope == scope or (scope, one.scope) == ("run", "read")
        if not allowed:
            assert program.call(one.method, path, None if one.method == "GET" else {})[0] == 403, one.name
        elif one.method == "GET":
            assert program.request("GET", path).status_code in {200, 404}, one.name
    assert AuditEntry.objects.count() == before


def test_token_of_one_event_reaches_no_other(event: Event) -> None:
    other = new_event()
    program = Program("run", "create", event=event)
    assert [row["code"] for row in program.get("events/")["items"]] == [event.code]
    assert program.call("GET", f"events/{other.code}/")[0] == 404
    assert program.act(other, "lobby.open")[0] == 404
    assert program.call("POST", "events/", {})[0] == 403
    assert program.act(event, "joining.lock")[0] == 200


def test_token_can_do_what_its_user_can(event: Event) -> None:
    """A viewer's token may read only, and a stranger's not even that. Roles are read at each request."""
    member = organizer("vera")
    program = Program("run", user=member)
    assert program.act(event, "joining.lock")[0] == 404
    row = Member.objects.create(event=event, user=member, role=Role.VIEWER)
    assert program.act(event, "joining.lock")[0] == 403
    assert program.call("GET", f"events/{event.code}/")[0] == 200
    Member.objects.filter(pk=row.pk).update(role=Role.COHOST)
    assert program.act(event, "joining.lock")[0] == 200


def test_requests_of_a_token_are_limited(event: Event) -> None:
    one, other = Program("read"), Program("read")
    key, now = f"api:{ApiToken.objects.earliest('pk').pk}", timezone.now()
    for minute in (now, now + timedelta(minutes=1)):
        cache.set(f"{key}:{minute:%H%M}", REQUESTS_PER_MINUTE - 1)
    before = own_refusals("api")
    assert one.call("GET", "events/")[0] == 200
    refused = one.request("GET", "events/")
    assert refused.status_code == 429
    assert own_refusals("api") == before + 1
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert other.call("GET", "events/")[0] == 200


def test_new_token_is_shown_once_and_works(olga: Client) -> None:
    [token] = SHOWN.findall(olga.post(PAGE, WANTED).content.decode())
    row = find_token(token)
    assert row
    assert (row.user, row.name, row.scopes) == (organizer(), "scoreboard", ["read", "create"])
    assert row.event is None
    assert row.expires_at
    assert (row.expires_at - row.created_at).days in {29, 30}
    listed = olga.get(PAGE).content.decode()
    assert "scoreboard" in listed
    assert token not in listed
    event = new_event()
    olga.post(PAGE, WANTED | {"code": f" {event.code.lower()} ", "days": ""})
    row = ApiToken.objects.latest("pk")
    assert (row.event, row.expires_at) == (event, None)


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"scopes": []}, {"scopes": ["own"]}, {"days": "9999"}, {"code": "BCDFG"}]
)
def test_incomplete_token_or_token_for_others_event_is_not_created(
    olga: Client, wrong: dict[str, object]
) -> None:
    create_event(organizer("boris"), "Theirs", ("A", "B"), code="BCDFG")
    assert olga.post(PAGE, WANTED | wrong).status_code == 400
    assert not ApiToken.objects.exists()


def test_organizer_revokes_only_own_tokens(olga: Client) -> None:
    mine = create_token(organizer(), "mine", ("read",))
    other = create_token(organizer("boris"), "other", ("read",))
    for row in ApiToken.objects.all():
        olga.post(PAGE, {"revoke": row.pk})
    assert (find_token(mine), bool(find_token(other))) == (None, True)


def test_page_opens_after_the_password_of_an_organizer_only(client: Client) -> None:
    visitor = organizer("visitor")
    Guest.objects.create(number=1, user=visitor, name="Visitor", name_skeleton="visitor")
    for user, leads_to in ((organizer(), "/console/reauthenticate/"), (visitor, "/console/")):
        client.force_login(user)
        for answer in (client.get(PAGE), client.post(PAGE, WANTED)):
            assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, leads_to)
    assert not ApiToken.objects.exists()


def test_page_of_api_lists_operations_in_english(client: Client) -> None:
    for cached in (openapi, endpoints):
        cached.cache_clear()
    page = client.get("/api/v1/?locale=de").content.decode()
    for text in (
        "/api/v1/events/{code}/actions/turn.extend/",
        "integer, 1 to 2592000",
        "two-halls",
        "Time to vote",
    ):
        assert text in page
