"""API tokens: who may do what with one, and for how long."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.api.endpoints import endpoints
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.tokens import REQUESTS_PER_MINUTE, create_token
from tests.crowdgame.organizer.api.api_program import Program
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


def test_request_without_valid_token_is_refused(event: Event) -> None:
    expired = create_token(organizer(), "old", ("read",), expires_at=timezone.now() - timedelta(seconds=1))
    for token in ("", "guess", expired):
        status, refusal = Program(token=token).call("GET", "events/")
        assert (status, refusal) == (401, {"title": "No valid token.", "status": 401})
    assert Program("read").call("GET", "events/")[0] == 200


@pytest.mark.parametrize("lost", ["token", "account"])
def test_token_ends_with_its_revocation_or_account(event: Event, lost: str) -> None:
    program = Program("read")
    assert program.call("GET", "events/")[0] == 200
    if lost == "token":
        ApiToken.objects.all().delete()
    else:
        User.objects.update(is_active=False)
    assert program.call("GET", "events/")[0] == 401


def test_session_is_no_token(event: Event) -> None:
    client = Client()
    client.force_login(organizer())
    assert client.get("/api/v1/events/").status_code == 401
    assert client.post(f"/api/v1/events/{event.code}/actions/match.start/").status_code == 401


def test_token_is_stored_as_hash_with_day_of_use(event: Event) -> None:
    program = Program("read")
    row = ApiToken.objects.get()
    assert (row.used_on, program.token in str(vars(row))) == (None, False)
    program.get("events/")
    row.refresh_from_db()
    assert row.used_on == timezone.localdate()


@pytest.mark.parametrize("scope", ["read", "run", "create"])
def test_each_operation_needs_its_scope(event: Event, scope: Any) -> None:
    """A token to run events may read, too. Nothing is done without the scope."""
    start_match(event.pk, BallotBox())
    program, before = Program(scope), AuditEntry.objects.count()
    for one in endpoints():
        path = one.path.replace("<code:code>", event.code).replace("<int:number>", "1")
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


def test_requests_of_a_token_are_limited(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Program("read"), Program("read")
    row = ApiToken.objects.order_by("pk").first()
    assert row
    cache.set_many(
        {
            f"api:{row.pk}:{(timezone.now() + timedelta(minutes=n)):%H%M}": REQUESTS_PER_MINUTE - 1
            for n in (0, 1)
        }
    )
    assert one.call("GET", "events/")[0] == 200
    refused = one.request("GET", "events/")
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert other.call("GET", "events/")[0] == 200
