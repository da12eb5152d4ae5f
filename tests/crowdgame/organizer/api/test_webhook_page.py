"""The page of an organizer's webhooks, and the operations of the API on them."""

import base64
import hmac
import html
import re
import time
from typing import Any

import pytest
from django.test import Client

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.api.models import Webhook, WebhookDelivery
from crowdgame.organizer.api.webhook_delivery import send_deliveries
from crowdgame.organizer.api.webhooks import MAX_WEBHOOKS
from tests.crowdgame.organizer.api.api_program import Program
from tests.crowdgame.organizer.api.receiver import Receiver
from tests.voting.match_helpers import new_event, organizer
from voting.models import Event
from voting.protocol import Role

pytestmark = pytest.mark.django_db
PAGE = "/console/webhooks/"
URL = "https://hooks.example.org/turns"


def test_secret_is_shown_once_and_can_be_replaced(event: Event, olga: Client) -> None:
    made = olga.post(PAGE, {"url": URL, "code": event.code.lower(), "types": ["turn.revealed"]}).content
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.event, webhook.types) == (URL, event, ["turn.revealed"])
    assert re.findall(rb'value="(whsec_[^"]+)"', made) == [webhook.secret.encode()]
    assert b"whsec_" not in olga.get(PAGE).content
    replaced = olga.post(PAGE, {"webhook": webhook.pk, "press": "rotate"}).content.decode()
    webhook.refresh_from_db()
    assert webhook.secret in replaced
    assert webhook.old_secret not in replaced


def test_webhook_is_tested_resumed_and_removed_on_its_page(
    event: Event, olga: Client, receiver: Receiver
) -> None:
    olga.post(PAGE, {"url": receiver.url, "code": event.code})
    webhook = Webhook.objects.get()
    receiver.answers = [410]
    olga.post(PAGE, {"webhook": webhook.pk, "press": "test"})
    send_deliveries()
    page = olga.get(PAGE).content.decode()
    assert "HTTP 410" in page
    assert "paused" in page
    olga.post(PAGE, {"webhook": webhook.pk, "press": "resume"})
    olga.post(PAGE, {"webhook": webhook.pk, "press": WebhookDelivery.objects.get().message_id})
    send_deliveries()
    assert len(receiver.ids) == 2
    olga.post(PAGE, {"webhook": webhook.pk, "press": "remove"})
    assert not Webhook.objects.exists()
    assert [(entry.by, entry.action, str(entry)) for entry in AuditEntry.objects.order_by("pk")] == [
        ("olga", "webhook.add", "olga added a webhook to 127.0.0.1"),
        ("", "webhook.pause", "The webhook to 127.0.0.1 was paused, because it accepts no messages"),
        ("olga", "webhook.remove", "olga removed a webhook to 127.0.0.1"),
    ]


@pytest.mark.parametrize("wrong", [{"url": "http://example.org/"}, {"types": ["x"]}, {"code": "BCDFGHJK"}])
def test_invalid_webhook_is_not_added(event: Event, olga: Client, wrong: dict[str, Any]) -> None:
    assert olga.post(PAGE, {"url": URL, "code": event.code} | wrong).status_code == 400
    assert not Webhook.objects.exists()


def test_viewer_adds_no_webhook_and_reaches_none_of_others(olga: Client) -> None:
    boris, event = organizer("boris"), new_event()
    Event.objects.update(owner=boris)
    Member.objects.create(event=event, user=organizer(), role=Role.VIEWER)
    assert olga.post(PAGE, {"url": URL, "code": event.code}).status_code == 400
    program, path = Program("run"), f"events/{event.code}/webhooks/"
    assert program.call("POST", path, {"url": URL})[0] == 403
    assert not Webhook.objects.exists()
    theirs = Webhook.objects.create(user=boris, event=event, url=URL, secret="x", seq=0)
    Member.objects.update(role=Role.COHOST)
    assert olga.post(PAGE, {"webhook": theirs.pk, "press": "remove"}).status_code == 404
    assert URL not in olga.get(PAGE).content.decode()
    assert program.get(path) == []
    assert program.call("DELETE", f"{path}{theirs.pk}/")[0] == 404
    assert program.call("GET", f"{path}{theirs.pk}/deliveries/")[0] == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_password_is_asked_before_the_page_opens(client: Client, method: str) -> None:
    client.force_login(organizer())
    assert "/console/reauthenticate/" in getattr(client, method)(PAGE).headers["Location"]


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


def test_signature_check_on_the_page_of_the_api_works(event: Event, olga: Client, receiver: Receiver) -> None:
    olga.post(PAGE, {"url": receiver.url, "code": event.code})
    webhook = Webhook.objects.get()
    olga.post(PAGE, {"webhook": webhook.pk, "press": "test"})
    send_deliveries()
    page = html.unescape(olga.get("/api/v1/").content.decode())
    [code] = re.findall(r"(def is_genuine.*?)</code>", page, re.DOTALL)
    names: dict[str, Any] = {"base64": base64, "hmac": hmac, "time": time}
    exec(code, names)  # noqa: S102
    [(headers, body)] = receiver.requests
    assert names["is_genuine"](webhook.secret, headers, body)
    assert not names["is_genuine"](webhook.secret, headers, body + b" ")
