import json
import socket
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth.models import User
from django.utils import timezone

from crowdgame.accounts.models import QueuedMail
from crowdgame.events.models import AuditEntry, Member
from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.api import webhook_delivery, webhooks
from crowdgame.organizer.api.models import Webhook, WebhookDelivery
from crowdgame.organizer.api.webhook_delivery import PAUSE_AFTER, RETRY_AFTER, is_due, send_deliveries
from crowdgame.organizer.api.webhook_request import post, sign
from crowdgame.organizer.api.webhooks import add_webhook, ping, resend, resume_webhook, rotate_secret
from crowdgame.server.web import outgoing_request
from crowdgame.server.web.outgoing_request import MAX_ANSWER_BYTES, is_public
from tests.crowdgame.organizer.api.conftest import Receiver, running_receiver, sending_slowly
from tests.voting.match_helpers import RED_WINS, organizer, play
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event
from voting.protocol import Role
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
SECRET = "whsec_MfKQ9r8GKYqTwjUPD8ILPZIo2LaLaSw="


def add(event: Event, receiver: Receiver, *types: str, user: User | None = None) -> Webhook:
    user = user or organizer()
    who = OrganizerAccess(user.get_username(), Role.COHOST, user.pk)
    return add_webhook(who, event, receiver.url, types)


def pass_time() -> None:
    Webhook.objects.update(next_at=timezone.now())
    WebhookDelivery.objects.exclude(due_at=None).update(due_at=timezone.now())


def test_turn_is_sent_with_ids_only(event: Event, box: BallotBox, receiver: Receiver, settings: Any) -> None:
    match = start_match(event.pk, box)
    webhook = add(event, receiver, "turn.revealed")
    assert not is_due(), "the webhook is newer"
    play(match, box, RED_WINS)
    settings.WEBHOOKS = "off"
    assert not is_due()
    settings.WEBHOOKS = "private"
    send_deliveries()
    headers, body = receiver.requests[-1]
    signed = (headers["webhook-id"], int(headers["webhook-timestamp"]), body)
    assert headers["webhook-signature"] == sign(webhook.secret, *signed)
    sent = [json.loads(body) for _, body in receiver.requests]
    assert {one["type"] for one in sent} == {"turn.revealed"}
    assert [one["data"]["revealed"] for one in sent] == [1, 2, 3, 4]
    seq = Event.objects.get().seq
    assert sent[-1]["data"] == {"event": event.code, "seq": seq, "match": 1, "turn": None, "revealed": 4}
    assert sent[-1].keys() == {"type", "timestamp", "data"}
    assert datetime.fromisoformat(sent[-1]["timestamp"]).tzinfo
    assert not is_due()


def test_failed_message_is_resent_before_later_ones(event: Event, box: BallotBox, receiver: Receiver) -> None:
    webhook = add(event, receiver)
    Webhook.objects.update(failing_since=timezone.now() - PAUSE_AFTER + timedelta(minutes=1))
    for _ in range(3):
        announce_edit(event.pk, box.now())
    receiver.answers = [500, 302]
    for _ in range(3):
        assert is_due()
        send_deliveries()
        assert not is_due()
        webhook.refresh_from_db()
        assert webhook.paused_at is None, "it fails for less than a day"
        pass_time()
    first, *later = WebhookDelivery.objects.order_by("pk")
    assert (first.attempts, first.status, first.due_at) == (3, 204, None)
    assert first.duration_ms is not None
    assert webhook.failing_since is None, "the failures before a success do not matter"
    assert receiver.ids == [first.message_id] * 3 + [one.message_id for one in later]
    resend(first)
    send_deliveries()
    assert receiver.ids[5:] == [first.message_id]


def test_retries_end_after_a_day_and_deliveries_are_kept_for_a_week(event: Event, receiver: Receiver) -> None:
    delivery = ping(add(event, receiver))
    for attempts in range(len(RETRY_AFTER) + 1):
        WebhookDelivery.objects.update(attempts=attempts)
        receiver.answers = [500]
        before = timezone.now()
        pass_time()
        send_deliveries()
        delivery.refresh_from_db()
        if delivery.due_at:
            assert delivery.due_at - before >= RETRY_AFTER[attempts]
    assert delivery.due_at is None
    assert sum(RETRY_AFTER, timedelta()) > PAUSE_AFTER
    list(webhook_delivery.purge_deliveries())
    assert WebhookDelivery.objects.exists()
    WebhookDelivery.objects.update(created_at=timezone.now() - webhook_delivery.KEPT_FOR)
    list(webhook_delivery.purge_deliveries())
    assert not WebhookDelivery.objects.exists()


def test_webhook_and_announcement_are_claimed_once(event: Event, box: BallotBox, receiver: Receiver) -> None:
    """Also if another worker's lease has expired."""
    read_by_both = [add(event, receiver), Webhook.objects.get()]
    announce_edit(event.pk, box.now())
    for one in read_by_both:
        webhook_delivery.read_announcements(one)
    assert WebhookDelivery.objects.count() == 1
    assert [webhook_delivery._claim(read_by_both[0]) for _ in range(2)] == [True, False]


@pytest.mark.parametrize("left", [1, 0])
def test_late_webhook_learns_of_its_gap(left: int, event: Event, box: BallotBox, receiver: Receiver) -> None:
    webhook = add(event, receiver, "turn.revealed")
    for _ in range(3):
        announce_edit(event.pk, box.now())
    kept = Announcement.objects.order_by("-seq").values_list("pk", flat=True)[:left]
    Announcement.objects.exclude(pk__in=list(kept)).delete()
    send_deliveries()
    [(_, body)] = receiver.requests
    sent = json.loads(body)
    gap = {"event": event.code, "first": webhook.seq + 1, "last": webhook.seq + 3 - left}
    assert (sent["type"], sent["data"]) == ("webhook.skipped", gap)
    assert not is_due()


@pytest.mark.parametrize("lost", ["role", "demoted", "account"])
def test_user_without_the_role_receives_nothing(lost: str, event: Event, receiver: Receiver) -> None:
    vera = organizer("vera")
    Member.objects.create(event=event, user=vera, role=Role.COHOST)
    theirs, own = add(event, receiver, user=vera), add(event, receiver)
    ping(theirs)
    kept = ping(own)
    if lost == "role":
        Member.objects.all().delete()
    elif lost == "demoted":
        Member.objects.update(role=Role.VIEWER)
    else:
        User.objects.filter(pk=vera.pk).update(is_active=False)
    send_deliveries()
    assert receiver.ids == [kept.message_id]
    assert list(Webhook.objects.all()) == [own]
    assert "can't run the event any more" in str(AuditEntry.objects.latest("pk"))


@pytest.mark.parametrize(("status", "failing"), [(500, PAUSE_AFTER), (410, timedelta(0))])
def test_failing_webhook_is_paused_with_a_mail(
    status: int, failing: timedelta, event: Event, receiver: Receiver, settings: Any
) -> None:
    """After a day of failures, or when the receiver is gone for good. It continues when it is resumed."""
    settings.EMAIL_ENABLED, settings.PUBLIC_URL = True, "https://play.example.org"
    webhook = add(event, receiver)
    User.objects.update(email="olga@example.org")
    ping(webhook)
    Webhook.objects.update(failing_since=timezone.now() - failing)
    receiver.answers = [status]
    send_deliveries()
    pass_time()
    assert not is_due()
    assert QueuedMail.objects.get().message["to"] == ["olga@example.org"]
    assert AuditEntry.objects.latest("pk").action == "webhook.pause"
    resume_webhook(webhook)
    assert Webhook.objects.get().failing_since is None
    send_deliveries()
    assert len(receiver.ids) == 2


def test_old_secret_signs_for_a_day_as_specified(event: Event, receiver: Receiver) -> None:
    """The library `standardwebhooks` computes the same."""
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,APzAMjTmGJD1CHe1l3psPWqHBNm7LdzUn7zexTcoEpk="
    webhook = add(event, receiver)
    secrets = [webhook.secret, rotate_secret(webhook)]
    for ago, valid in ((timedelta(0), secrets[::-1]), (webhooks.OLD_SECRET_PERIOD, secrets[1:])):
        Webhook.objects.update(rotated_at=timezone.now() - ago)
        ping(webhook)
        send_deliveries()
        headers, body = receiver.requests[-1]
        signed = (headers["webhook-id"], int(headers["webhook-timestamp"]), body)
        assert headers["webhook-signature"].split() == [sign(secret, *signed) for secret in valid]


def outcome(url: str) -> int | str:
    attempt = post(url, [SECRET], "msg_1", b"{}")
    return attempt.reason or attempt.status


def resolve_as(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    left = list(answers)

    def lookup(host: str, port: int, *_: Any) -> Any:
        return [(0, 0, 0, "", (address, port)) for address in left.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


def test_only_public_addresses_are_public() -> None:
    public = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
    others = (
        *("127.0.0.1", "10.1.2.3", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),  # noqa: S104
        *("255.255.255.255", "198.18.0.1", "::1", "::", "::7f00:1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"),
        *("64:ff9b:1::808:808", "2002:7f00:1::", "2002:808:808::", "2001:0:7f00:1::", "fe80::1", "fe80::1%2"),
        *("fec0::1", "fd00::1", "ff02::1", "ff0e::1"),
    )
    assert [address for address in (*public, *others) if is_public(address)] == public


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "localhost"]
)
def test_loopback_is_not_called_however_it_is_written(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert outcome(f"https://{host}:{listener.getsockname()[1]}/") == "address not allowed"
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_no_address_of_a_host_may_be_private(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    resolve_as(monkeypatch, ["8.8.8.8", "10.0.0.1"], ["10.0.0.1", "8.8.8.8"], ["64:ff9b::a00:1"])
    assert {outcome("https://mixed.test/") for _ in range(3)} == {"address not allowed"}
    settings.WEBHOOKS = "private"
    resolve_as(monkeypatch, ["127.0.0.1", "10.0.0.1"])
    assert outcome("http://printer.test:8080/") == "address not allowed"


def test_plain_http_is_limited(receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS = "public"
    assert outcome(receiver.url) == "address not allowed"
    settings.WEBHOOKS = "private"
    receiver.answers = [302]
    assert (outcome(receiver.url), len(receiver.requests)) == (302, 1)
    resolve_as(monkeypatch, ["127.0.0.1"], ["192.0.2.1"])  # a name server that changes its answer
    assert outcome(f"http://rebinding.test:{receiver.port}/") == 204
    assert receiver.requests[1][0]["host"] == f"rebinding.test:{receiver.port}"


@pytest.mark.parametrize(
    ("content", "every_s", "reason"),
    [
        pytest.param(b"", 10.0, "timeout", id="silent"),
        pytest.param(b"x", 0.02, "timeout", id="a byte now and then"),
        pytest.param(b"x" * MAX_ANSWER_BYTES * 2, 0.01, "unreadable answer", id="a long answer"),
    ],
)
def test_receiver_has_limited_time_and_space(
    content: bytes, every_s: float, reason: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOKS = "private"
    if reason == "timeout":
        monkeypatch.setattr(outgoing_request, "TIMEOUT_S", 0.2)
    with sending_slowly(content, every_s) as port:
        assert outcome(f"http://127.0.0.1:{port}/") == reason


def test_receiver_that_is_away_is_no_connection(settings: Any) -> None:
    settings.WEBHOOKS = "private"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/", "https://" + "a" * 64 + ".test/", "https://.test/"):
        assert outcome(url) == "no connection"


def test_certificate_must_name_host(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS = "private"
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, encoding, plain = tmp_path / "server.pem", serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
    pem.write_bytes(private + certificate.public_bytes(encoding))
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(pem)
    with running_receiver(tls) as receiver:
        assert outcome(f"https://localhost:{receiver.port}/") == "TLS error"  # unknown to this machine
        monkeypatch.setenv("SSL_CERT_FILE", str(pem))
        outgoing_request._tls.cache_clear()
        assert outcome(f"https://localhost:{receiver.port}/") == 204
        assert outcome(f"https://127.0.0.1:{receiver.port}/") == "TLS error"
    outgoing_request._tls.cache_clear()
    assert len(receiver.requests) == 1
