import base64
import hmac
import html
import re
import time
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
from crowdgame.organizer.api.models import ApiToken, Webhook, WebhookDelivery
from crowdgame.organizer.api.tokens import REQUESTS_PER_MINUTE, create_token, find_token
from crowdgame.organizer.api.webhook_delivery import send_deliveries
from crowdgame.organizer.api.webhooks import MAX_WEBHOOKS
from crowdgame.server.web.outgoing_request import RefusedAddress, check_url
from tests.crowdgame.organizer.api.conftest import Program, Receiver, address
from tests.monitoring.probes import own_refusals
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]
TOKENS, WEBHOOKS = "/console/tokens/", "/console/webhooks/"
WANTED = {"name": "scoreboard", "scopes": ["read", "create"], "code": "", "days": "30"}
URL = "https://hooks.example.org/turns"


def test_token_works_until_expiry_revocation_or_deactivation_and_is_stored_as_hash(event: Event) -> None:
    program, revoked = Program("read"), Program("read")
    row = ApiToken.objects.earliest("pk")
    assert (row.used_on, program.token in str(vars(row))) == (None, False)
    program.get("events/")
    row.refresh_from_db()
    assert row.used_on == timezone.localdate()
    ApiToken.objects.latest("pk").delete()
    expired = create_token(organizer(), "old", ("read",), expires_at=timezone.now() - timedelta(seconds=1))
    refusal = {"title": "No valid token.", "status": 401}
    for token in ("", "guess", expired, revoked.token):
        assert Program(token=token).call("GET", "events/") == (401, refusal)
    assert program.call("GET", "events/")[0] == 200
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


def test_token_reaches_its_event_and_what_its_user_may_do_there(event: Event) -> None:
    """Roles are read at each request."""
    other, member = new_event(), organizer("vera")
    program = Program("run", "create", event=event)
    assert [row["code"] for row in program.get("events/")["items"]] == [event.code]
    assert program.call("GET", f"events/{other.code}/")[0] == 404
    assert program.act(other, "lobby.open")[0] == 404
    assert program.call("POST", "events/", {})[0] == 403
    status, state = program.act(event, "joining.lock")
    assert (status, state["lobby"]) == (200, "locked")
    assert AuditEntry.objects.get().by == "olga (ci)"
    program = Program("run", user=member)
    assert program.act(event, "joining.unlock")[0] == 404
    Member.objects.create(event=event, user=member, role=Role.VIEWER)
    assert program.act(event, "joining.unlock")[0] == 403
    assert program.call("GET", f"events/{event.code}/")[0] == 200
    Member.objects.update(role=Role.COHOST)
    assert program.act(event, "joining.unlock")[0] == 200


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


def test_new_token_is_shown_once_works_and_is_revoked(olga: Client, event: Event) -> None:
    create_event(organizer("boris"), "Theirs", ("A", "B"), code="BCDFG")
    wrong: list[dict[str, Any]] = [{"name": ""}, {"scopes": []}, {"scopes": ["own"]}, {"days": "9999"}]
    for changes in (*wrong, {"code": "BCDFG"}):
        assert olga.post(TOKENS, WANTED | changes).status_code == 400
    assert not ApiToken.objects.exists()
    [token] = re.findall(r'value="(crowdgame_[\w-]+)"', olga.post(TOKENS, WANTED).content.decode())
    row = ApiToken.objects.get()
    assert (find_token(token), row.user, row.event) == (row, organizer(), None)
    assert (row.name, row.scopes) == ("scoreboard", ["read", "create"])
    assert row.expires_at
    assert (row.expires_at - row.created_at).days in {29, 30}
    assert olga.get("/api/v1/events/").status_code == 401, "a session is no token"
    assert olga.post(f"/api/v1/events/{event.code}/actions/match.start/").status_code == 401
    listed = olga.get(TOKENS).content.decode()
    assert ("scoreboard" in listed, token in listed) == (True, False)
    olga.post(TOKENS, WANTED | {"code": f" {event.code.lower()} ", "days": ""})
    row = ApiToken.objects.latest("pk")
    assert (row.event, row.expires_at) == (event, None)
    other = create_token(organizer("boris"), "other", ("read",))
    for row in ApiToken.objects.all():
        olga.post(TOKENS, {"revoke": row.pk})
    assert (find_token(token), bool(find_token(other))) == (None, True)


@pytest.mark.parametrize("page", [TOKENS, WEBHOOKS])
def test_page_opens_after_the_password_of_an_organizer_only(page: str, client: Client) -> None:
    visitor = organizer("visitor")
    Guest.objects.create(number=1, user=visitor, name="Visitor", name_skeleton="visitor")
    for user, leads_to in ((organizer(), "/console/reauthenticate/"), (visitor, "/console/")):
        client.force_login(user)
        for answer in (client.get(page), client.post(page, WANTED)):
            assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, leads_to)
    assert not ApiToken.objects.exists()


def test_secret_of_a_webhook_is_shown_once_and_can_be_replaced(event: Event, olga: Client) -> None:
    form = {"url": URL, "code": event.code.lower(), "types": ["turn.revealed"]}
    for wrong in ({"url": "http://example.org/"}, {"types": ["x"]}, {"code": "BCDFGHJK"}):
        assert olga.post(WEBHOOKS, form | wrong).status_code == 400
    assert not Webhook.objects.exists()
    made = olga.post(WEBHOOKS, form).content
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.event, webhook.types) == (URL, event, ["turn.revealed"])
    assert re.findall(rb'value="(whsec_[^"]+)"', made) == [webhook.secret.encode()]
    assert b"whsec_" not in olga.get(WEBHOOKS).content
    replaced = olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": "rotate"}).content.decode()
    webhook.refresh_from_db()
    assert webhook.secret in replaced
    assert webhook.old_secret not in replaced


def test_page_tests_resumes_and_removes_webhook(event: Event, olga: Client, receiver: Receiver) -> None:
    olga.post(WEBHOOKS, {"url": receiver.url, "code": event.code})
    webhook = Webhook.objects.get()
    receiver.answers = [410]
    olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": "test"})
    send_deliveries()
    page = olga.get(WEBHOOKS).content.decode()
    assert ("HTTP 410" in page, "paused" in page) == (True, True)
    olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": "resume"})
    olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": WebhookDelivery.objects.get().message_id})
    send_deliveries()
    assert len(receiver.ids) == 2
    olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": "remove"})
    assert not Webhook.objects.exists()
    assert [(entry.by, entry.action, str(entry)) for entry in AuditEntry.objects.order_by("pk")] == [
        ("olga", "webhook.add", "olga added a webhook to 127.0.0.1"),
        ("", "webhook.pause", "The webhook to 127.0.0.1 was paused, because it accepts no messages"),
        ("olga", "webhook.remove", "olga removed a webhook to 127.0.0.1"),
    ]


def test_viewer_adds_no_webhook_and_reaches_none_of_others(olga: Client) -> None:
    boris, event = organizer("boris"), new_event()
    Event.objects.update(owner=boris)
    Member.objects.create(event=event, user=organizer(), role=Role.VIEWER)
    assert olga.post(WEBHOOKS, {"url": URL, "code": event.code}).status_code == 400
    program, path = Program("run"), f"events/{event.code}/webhooks/"
    assert program.call("POST", path, {"url": URL})[0] == 403
    assert not Webhook.objects.exists()
    theirs = Webhook.objects.create(user=boris, event=event, url=URL, secret="x", seq=0)
    Member.objects.update(role=Role.COHOST)
    assert olga.post(WEBHOOKS, {"webhook": theirs.pk, "press": "remove"}).status_code == 404
    assert URL not in olga.get(WEBHOOKS).content.decode()
    assert program.get(path) == []
    assert program.call("DELETE", f"{path}{theirs.pk}/")[0] == 404
    assert program.call("GET", f"{path}{theirs.pk}/deliveries/")[0] == 404


def test_program_adds_reads_and_removes_a_webhook(event: Event, receiver: Receiver) -> None:
    program, path = Program("run"), f"events/{event.code}/webhooks/"
    status, added = program.call("POST", path, {"url": receiver.url, "types": ["event.edited"]})
    assert (status, added["secret"].startswith("whsec_")) == (200, True)
    del added["secret"]
    assert program.get(path) == [added]
    own = f"{path}{added['id']}/"
    assert program.get(f"{own}deliveries/") == []
    WebhookDelivery.objects.create(webhook_id=added["id"], message_id="msg_1", type="x", body="{}")
    send_deliveries()
    [sent] = [one for one in program.get(f"{own}deliveries/") if one["message_id"] == "msg_1"]
    assert (sent["attempts"], sent["status"], sent["due_at"]) == (1, 204, None)
    assert program.call("POST", f"{own}resend/", {"message_id": "msg_1"})[0] == 200
    send_deliveries()
    assert receiver.ids.count("msg_1") == 2
    assert program.call("POST", f"{own}resend/", {"message_id": "msg_2"})[0] == 404
    assert program.call("DELETE", own)[0] == 200
    assert program.get(path) == []
    assert AuditEntry.objects.latest("pk").by == "olga (ci)"


def test_program_adds_no_invalid_webhook(event: Event, settings: Any) -> None:
    program, path = Program("run"), f"events/{event.code}/webhooks/"
    for wrong in ({"url": "http://example.org/"}, {"url": URL, "types": ["x"]}, {"url": "x" * 501}, {}):
        assert program.call("POST", path, wrong)[0] == 400
    for status in [200] * MAX_WEBHOOKS + [409]:
        assert program.call("POST", path, {"url": URL})[0] == status
    settings.WEBHOOKS = "off"
    assert program.call("POST", f"events/{new_event().code}/webhooks/", {"url": URL})[0] == 409


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org/", "http://example.org:8080/", "ftp://example.org/", "file:///etc/passwd"),
        *("https://user@example.org/", "https://user:password@example.org/", "https://:@example.org/"),
        *("https://example.org:25/", "https://example.org:0x50/", "https://example.org:99999/", "https://"),
        *("https://example.org/a b", "https://example.org/\r\nhost: other", "https://exämple.org/"),
        *("https://[::1/", "https://example.org/" + "a" * 500),
    ],
)
def test_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddress):
        check_url(url)
    for allowed in ("https://example.org", "https://example.org:8443/a?b=c", "https://[2606:4700::1111]/"):
        assert check_url(allowed).hostname


def test_signature_check_on_the_page_of_the_api_works(event: Event, olga: Client, receiver: Receiver) -> None:
    olga.post(WEBHOOKS, {"url": receiver.url, "code": event.code})
    webhook = Webhook.objects.get()
    olga.post(WEBHOOKS, {"webhook": webhook.pk, "press": "test"})
    send_deliveries()
    page = html.unescape(olga.get("/api/v1/?locale=de").content.decode())
    assert "/api/v1/events/{code}/actions/turn.extend/" in page
    [code] = re.findall(r"(def is_genuine.*?)</code>", page, re.DOTALL)
    names: dict[str, Any] = {"base64": base64, "hmac": hmac, "time": time}
    exec(code, names)  # noqa: S102
    [(headers, body)] = receiver.requests
    assert names["is_genuine"](webhook.secret, headers, body)
    assert not names["is_genuine"](webhook.secret, headers, body + b" ")
