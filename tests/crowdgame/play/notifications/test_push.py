import re
import time
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from celery import current_app
from cryptography.hazmat.primitives.asymmetric import ec
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from crowdgame.accounts.guest_cookie import set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.organizer.api.webhook_delivery import SEND_DELIVERIES
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications import devices, email, push, vapid
from crowdgame.play.notifications.email_messages import HOUR_MS
from crowdgame.play.notifications.models import PushNotification, PushSubscription
from crowdgame.play.notifications.push_encryption import CURVE, encrypt
from crowdgame.play.notifications.vote_news import MAX_VOTE_NEWS_PER_DAY, VoteNews
from crowdgame.server.laptop.stack import Stack, workers
from tests.crowdgame.organizer.api.conftest import Receiver
from tests.crowdgame.play.duels.test_player_actions import TWO_TURNS, begin
from tests.crowdgame.play.notifications.conftest import URL, move_deadline, open_turn
from tests.push_device import PushDevice, read_claims
from tests.voting.match_helpers import new_event, play
from voting.admission.seats import Seat, sign_seat
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Turn
from voting.turns.tasks import CLOSE_TURNS

pytestmark = pytest.mark.django_db
DAY_S = 24 * 3600


@pytest.fixture(autouse=True)
def push_services(settings: Any) -> None:
    settings.PUSH_SERVICES = ["127.0.0.1", "localhost", "push.example"]


def submit(event: Event, voter: str, subscription: dict[str, str], **headers: str) -> Any:
    seat = sign_seat(Seat(event.pk, voter, 1))
    fields = {**subscription, "seat": seat, "time_zone": "Europe/Berlin"}
    return Client(headers=headers).post(f"/play/push/{event.code}", fields)


def add_device(event: Event, service: Receiver, voter: str, **headers: str) -> PushDevice:
    device = PushDevice(f"{service.url}?{PushSubscription.objects.count()}{voter}")
    answer = submit(event, voter, device.subscription(vapid.public_key()), **headers)
    assert answer.status_code == 204, answer.content
    return device


def send_all(box: BallotBox) -> None:
    PushNotification.objects.update(due_at=timezone.now())
    push.send_due(box)


@pytest.fixture
def event(push_service: Receiver) -> Event:
    return new_event(window_s=DAY_S)


@pytest.fixture
def device(event: Event, push_service: Receiver) -> PushDevice:
    return add_device(event, push_service, "red1", accept_language="de")


@pytest.fixture
def turn(event: Event, device: PushDevice, box: BallotBox) -> Turn:
    return open_turn(event, box)


def test_vote_is_pushed_once_and_reminder_before_deadline(
    turn: Turn, device: PushDevice, box: BallotBox, push_service: Receiver
) -> None:
    event, sent = turn.match.event, push_service.requests
    for left_ms, title, urgency in (
        (23 * HOUR_MS, f"Abstimmung offen: {event.name}", "normal"),
        (3 * HOUR_MS, f"Stimm bald ab: {event.name}", "high"),
    ):
        move_deadline(turn, box, left_ms)
        before = len(sent)
        send_all(box)
        send_all(box)
        ((headers, body),) = sent[before:]
        message = device.decrypt(body)
        assert (message["title"], message["path"]) == (title, f"/{event.code}")
        assert re.fullmatch(r"Zug 1: Abstimmen bis .* \(Europe/Berlin\).*", message["body"])
        assert (headers["topic"], headers["urgency"]) == (message["tag"], urgency)
        assert left_ms - HOUR_MS < int(headers["ttl"]) * 1000 <= left_ms
        origin = push_service.url.removesuffix("/hook")
        claims = read_claims(headers["authorization"], origin, vapid.public_key())
        assert (claims["sub"], claims["exp"] < time.time() + 24 * 3600) == (URL, True)
    assert not PushNotification.objects.exists()


def test_player_is_notified_of_turn_and_offer(event: Event, box: BallotBox, push_service: Receiver) -> None:
    playing = begin(box, time_control=TIME_CONTROLS_BY_SLUG["3-days"], casual=True)
    PushNotification.objects.all().delete()
    device, client = PushDevice(push_service.url), Client()
    client.cookies = set_guest_cookie(HttpResponse(), playing.yellow).cookies
    assert client.post("/play/push", device.subscription(vapid.public_key())).status_code == 204
    play(playing.match, box, TWO_TURNS)
    send_all(box)
    playing.do(playing.teams[0], "draw", box)
    send_all(box)
    messages = [device.decrypt(body) for _, body in push_service.requests]
    other = playing.match.red.name
    assert [one["title"] for one in messages] == [f"Your turn against {other}", f"{other} offers a draw"]
    assert {one["path"] for one in messages} == {f"/play/{playing.duel.event.code}"}
    assert "3 days per player" in messages[0]["body"]
    assert int(push_service.requests[0][0]["ttl"]) // 3600 in (71, 72)


@pytest.mark.parametrize(
    ("status", "left"),
    [(201, (2, 0)), (404, (1, 0)), (410, (1, 0)), (413, (2, 0)), (429, (2, 1)), (503, (2, 1))],
)
def test_answer_of_the_push_service(
    status: int, left: tuple[int, int], turn: Turn, box: BallotBox, push_service: Receiver
) -> None:
    """An ended subscription is deleted. What fails for now is sent again after the lease."""
    other = add_device(turn.match.event, push_service, "red2")
    PushNotification.objects.exclude(news=VoteNews.OPEN).delete()
    push_service.answers = [status] * MAX_VOTE_NEWS_PER_DAY
    send_all(box)
    assert (PushSubscription.objects.count(), PushNotification.objects.count()) == left
    assert PushSubscription.objects.filter(endpoint=other.endpoint).exists()
    push.send_due(box)
    assert len(push_service.requests) == 1
    for _ in range(MAX_VOTE_NEWS_PER_DAY):  # a retry doesn't count again
        send_all(box)
    assert len(push_service.requests) == 1 + left[1] * MAX_VOTE_NEWS_PER_DAY


def test_unusable_subscription_is_refused(event: Event, settings: Any, box: BallotBox) -> None:
    settings.WEBHOOKS = "public"
    subscription = PushDevice("https://localhost/").subscription(vapid.public_key())
    for name, value in (
        ("endpoint", "http://push.example/"),
        ("endpoint", "https://elsewhere.example/"),
        ("endpoint", "https://notpush.example/"),
        ("endpoint", "https://push.example.net/"),
        ("endpoint", "https://push.example:25/"),
        ("endpoint", "https://push.example/" + "a" * 500),
        ("p256dh", urlsafe_base64_encode(b"\4" + b"a" * 64)),
        *(("auth", value) for value in (urlsafe_base64_encode(b"a" * 15), "a", "a" * 22 + "==")),
        ("application_key", "of another server"),
    ):
        assert submit(event, "red1", subscription | {name: value}).status_code == 400, value
    assert submit(event, "red1", subscription).status_code == 204
    assert PushSubscription.objects.count() == 1
    open_turn(event, box)
    send_all(box)
    assert not PushSubscription.objects.exists(), "without a connection to the private host, it would be kept"


def test_key_changes_with_the_secret_key_and_earlier_ones_are_dropped(
    turn: Turn, box: BallotBox, push_service: Receiver, settings: Any
) -> None:
    first = vapid.public_key()
    assert vapid.public_key() == first
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert vapid.public_key() != first
    endpoint = "https://push.example.net:8443/send/abc?x=1"
    assert read_claims(vapid.authorize(endpoint, first), "https://push.example.net:8443", first)
    send_all(box)
    ((headers, _),) = push_service.requests
    assert headers["authorization"].endswith(f"k={first}")
    settings.SECRET_KEY_FALLBACKS = []
    move_deadline(turn, box, 3 * HOUR_MS)
    send_all(box)
    assert len(push_service.requests) == 1
    assert not PushSubscription.objects.exists()


def test_newest_devices_are_kept_until_their_guest_leaves(
    event: Event, push_service: Receiver, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept() -> set[str]:
        return set(PushSubscription.objects.values_list("endpoint", flat=True))

    monkeypatch.setattr(devices, "MAX_DEVICES", 2)
    voters = ("red2", "red1", "red1", "red1")
    first, _, again, last = [add_device(event, push_service, voter) for voter in voters]
    assert submit(event, "red1", again.subscription(vapid.public_key())).status_code == 204  # once more
    assert kept() == {first.endpoint, again.endpoint, last.endpoint}
    assert submit(event, "red1", {"endpoint": again.endpoint, "stop": "1"}).status_code == 204
    assert kept() == {first.endpoint, last.endpoint}
    monkeypatch.setattr(devices, "MAX_ADDRESSES_PER_EVENT", 2)
    fields = PushDevice("http://127.0.0.1:9999/").subscription(vapid.public_key())
    answer = submit(event, "red3", fields)
    assert (answer.status_code, answer.content.decode()) == (400, "This event can't notify more devices.")
    assert submit(event, "red1", fields).status_code == 204
    leaving, staying = new_guest(), new_guest()
    for guest in (leaving, staying):
        PushSubscription.objects.create(guest=guest, endpoint=f"https://push.example/{guest.pk}")
    guest_left.send(Guest, guest=leaving, box=box)
    assert set(PushSubscription.objects.values_list("guest", flat=True)) == {None, staying.pk}


def test_device_needs_a_seat_of_the_event_and_has_one_owner(event: Event, settings: Any) -> None:
    fields = PushDevice("http://127.0.0.1:9999/").subscription(vapid.public_key())
    for seat in (sign_seat(Seat(new_event(window_s=DAY_S).pk, "red9", 1)), ""):
        answer = Client().post(f"/play/push/{event.code}", fields | {"seat": seat})
        assert (answer.status_code, "in which you vote" in answer.content.decode()) == (400, True)
    client = Client()
    assert client.post("/play/push", fields).status_code == 404  # no guest
    assert not PushSubscription.objects.exists()
    assert submit(event, "red1", fields).status_code == 204
    client.post("/play/new")
    assert client.post("/play/push", fields).status_code == 204
    device = PushSubscription.objects.get()
    assert (device.event, device.voter, device.guest) == (None, "", Guest.objects.get())
    assert load_snapshot(event).vote_mail
    settings.PUSH_ENABLED = False
    assert submit(event, "red2", fields).status_code == 404


def test_batch_goes_at_once(event: Event, device: PushDevice, box: BallotBox, push_service: Receiver) -> None:
    add_device(event, push_service, "red2")
    open_turn(event, box)
    push_service.meeting = Barrier(2)
    send_all(box)
    assert not PushNotification.objects.filter(news=VoteNews.OPEN).exists()


def test_receivers_that_hang_delay_no_turn_and_no_mail(tmp_path: Path) -> None:
    tasks = (CLOSE_TURNS, email.SEND_NOTIFICATIONS, push.SEND_PUSHES, SEND_DELIVERIES)
    queues = [current_app.amqp.router.route({}, name)["queue"].name for name in tasks]
    assert queues == ["celery", "background", "webhooks", "webhooks"]
    stack = Stack(data=tmp_path, secret_key="", port=0, webhooks="private", email_url="smtp://mail.example")
    argvs = [child.argv for child in workers(stack)]
    assert [argv[argv.index("--queues") + 1] for argv in argvs] == ["celery", "background", "webhooks"]
    pool = argvs[2].index("--pool")
    assert argvs[2][pool : pool + 4] == ["--pool", "threads", "-c", "8"]


def test_message_is_that_of_the_specification() -> None:
    """The example in appendix A of RFC 8291."""
    private = urlsafe_base64_decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    receiver = urlsafe_base64_decode(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    )
    message = encrypt(
        b"When I grow up, I want to be a watermelon",
        receiver,
        urlsafe_base64_decode("BTBZMqHH6r4Tts7J_aSIgg"),
        ec.derive_private_key(int.from_bytes(private), CURVE),
        urlsafe_base64_decode("DGv6ra1nlYgDCS1FRnbzlw"),
    )
    assert urlsafe_base64_encode(message) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
        "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
