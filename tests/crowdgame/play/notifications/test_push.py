"""Web Push to voters and players: what devices receive, which subscriptions are kept, and failures."""

import socket
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from celery import current_app
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode

from crowdgame.accounts.guest_cookie import set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.maintenance.retention import purge_addresses
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from crowdgame.play.notifications import devices, email, push, vapid
from crowdgame.play.notifications.email_messages import DAY_MS, HOUR_MS
from crowdgame.play.notifications.models import PushNotification, PushSubscription
from crowdgame.play.notifications.vote_news import VoteNews
from tests.crowdgame.organizer.api.receiver import Receiver
from tests.crowdgame.play.duels.test_player_actions import TWO_TURNS, begin
from tests.crowdgame.play.notifications.conftest import URL
from tests.push_device import PushDevice, read_claims
from tests.voting.match_helpers import ballots, new_event, only_turn, play, set_window, store
from voting.admission.seats import Seat, sign_seat
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Turn
from voting.terms import MatchState
from voting.turns.turns import start_match

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
    """Send all stored notifications, as if they were due now."""
    PushNotification.objects.update(due_at=timezone.now())
    push.send_due(box)


def move_deadline(turn: Turn, box: BallotBox, left_ms: int) -> None:
    set_window(turn, box, left_ms - DAY_MS, left_ms)


@pytest.fixture
def event(push_service: Receiver) -> Event:
    return new_event(window_s=DAY_S)


def open_turn(event: Event, box: BallotBox) -> Turn:
    """The event's first turn, open for 23 more hours."""
    turn = only_turn(start_match(event.pk, box))
    move_deadline(turn, box, 23 * HOUR_MS)
    return turn


@pytest.fixture
def device(event: Event, push_service: Receiver) -> PushDevice:
    return add_device(event, push_service, "red1", accept_language="de")


@pytest.fixture
def turn(event: Event, device: PushDevice, box: BallotBox) -> Turn:
    return open_turn(event, box)


def test_vote_is_pushed_once_and_reminder_before_deadline(
    turn: Turn, device: PushDevice, box: BallotBox, push_service: Receiver
) -> None:
    event = turn.match.event
    push.send_due(box)
    assert not push_service.requests  # those who are there see it by themselves
    send_all(box)
    send_all(box)
    ((headers, body),) = push_service.requests
    message = device.decrypt(body)
    assert (message["title"], message["path"]) == (f"Abstimmung offen: {event.name}", f"/{event.code}")
    assert message["body"].startswith("Zug 1: Abstimmen bis ")
    assert message["body"].endswith(" (Europe/Berlin)")
    assert (headers["topic"], headers["urgency"]) == (message["tag"], "normal")
    assert 22 * 3600 < int(headers["ttl"]) <= 23 * 3600
    origin = push_service.url.removesuffix("/hook")
    assert read_claims(headers["authorization"], origin, vapid.public_key())["sub"] == URL
    move_deadline(turn, box, 3 * HOUR_MS)
    send_all(box)
    send_all(box)
    ((headers, body),) = push_service.requests[1:]
    assert device.decrypt(body)["title"].startswith("Stimm bald ab: ")
    assert (headers["topic"], headers["urgency"]) == (message["tag"], "high")
    assert not PushNotification.objects.exists()


def test_only_voters_without_ballot_are_notified(
    event: Event, device: PushDevice, box: BallotBox, push_service: Receiver
) -> None:
    late = add_device(event, push_service, "red2")
    turn = open_turn(event, box)
    store(turn, ballots("red", [3]))  # of red1
    send_all(box)
    move_deadline(turn, box, 3 * HOUR_MS)
    send_all(box)
    read = [late.decrypt(body)["title"] for _, body in push_service.requests]
    assert read == ["The vote is open: An evening", "Vote soon: An evening"]
    assert not PushNotification.objects.exists()


def test_player_is_notified_of_turn_and_offer(event: Event, box: BallotBox, push_service: Receiver) -> None:
    playing = begin(box, time_control=TIME_CONTROLS_BY_SLUG["3-days"], casual=True)
    PushNotification.objects.all().delete()
    device = PushDevice(push_service.url)
    client = Client()
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
    push_service.answers = [status]
    send_all(box)
    assert (PushSubscription.objects.count(), PushNotification.objects.count()) == left
    assert PushSubscription.objects.filter(endpoint=other.endpoint).exists()
    push.send_due(box)
    assert len(push_service.requests) == 1
    send_all(box)
    assert len(push_service.requests) == 1 + left[1]


def test_private_address_is_not_called(
    event: Event, box: BallotBox, push_service: Receiver, settings: Any
) -> None:
    settings.WEBHOOKS = "public"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        device = PushDevice(f"https://localhost:{listener.getsockname()[1]}/")
        assert submit(event, "red1", device.subscription(vapid.public_key())).status_code == 204
        open_turn(event, box)
        send_all(box)
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert not PushSubscription.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"endpoint": "http://push.example/"},
        {"endpoint": "https://elsewhere.example/"},
        {"endpoint": "https://notpush.example/"},
        {"endpoint": "https://push.example.net/"},
        {"endpoint": "https://push.example:25/"},
        {"endpoint": "https://push.example/" + "a" * 500},
        {"p256dh": urlsafe_base64_encode(b"\4" + b"a" * 64)},
        {"auth": urlsafe_base64_encode(b"a" * 15)},
        {"auth": "a"},
        {"auth": "a" * 22 + "=="},
        {"application_key": "of another server"},
    ],
)
def test_unusable_subscription_is_refused(wrong: dict[str, str], event: Event, settings: Any) -> None:
    settings.WEBHOOKS = "public"
    subscription = PushDevice("https://push.example/").subscription(vapid.public_key())
    assert submit(event, "red1", subscription | wrong).status_code == 400
    assert submit(event, "red1", subscription).status_code == 204
    assert PushSubscription.objects.count() == 1


def test_subscription_of_an_earlier_key_is_dropped(
    turn: Turn, box: BallotBox, push_service: Receiver, settings: Any
) -> None:
    first = vapid.public_key()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    send_all(box)
    ((headers, _),) = push_service.requests
    assert headers["authorization"].endswith(f"k={first}")
    settings.SECRET_KEY_FALLBACKS = []
    move_deadline(turn, box, 3 * HOUR_MS)
    send_all(box)
    assert len(push_service.requests) == 1
    assert not PushSubscription.objects.exists()


def test_newest_devices_of_a_person_are_kept(
    event: Event, push_service: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MAX_DEVICES", 2)
    added = [add_device(event, push_service, voter) for voter in ("red2", "red1", "red1", "red1")]
    assert submit(event, "red1", added[2].subscription(vapid.public_key())).status_code == 204  # once more
    kept = set(PushSubscription.objects.values_list("endpoint", flat=True))
    assert kept == {added[0].endpoint, added[2].endpoint, added[3].endpoint}


def test_event_has_a_limited_number_of_devices(
    event: Event, device: PushDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MAX_ADDRESSES_PER_EVENT", 1)
    another = PushDevice("http://127.0.0.1:9999/").subscription(vapid.public_key())
    answer = submit(event, "red2", another)
    assert (answer.status_code, answer.content.decode()) == (400, "This event can't notify more devices.")
    assert submit(event, "red1", another).status_code == 204


def test_device_needs_a_seat_of_the_event(event: Event, device: PushDevice, settings: Any) -> None:
    assert load_snapshot(event).vote_mail
    fields = PushDevice("http://127.0.0.1:9999/").subscription(vapid.public_key())
    for seat in (sign_seat(Seat(new_event(window_s=DAY_S).pk, "red9", 1)), ""):
        answer = Client().post(f"/play/push/{event.code}", fields | {"seat": seat})
        assert (answer.status_code, "in which you vote" in answer.content.decode()) == (400, True)
    assert Client().post("/play/push", fields).status_code == 404  # no guest
    settings.PUSH_ENABLED = False
    assert submit(event, "red2", fields).status_code == 404
    assert PushSubscription.objects.count() == 1


def test_stopped_device_alone_is_deleted(event: Event, device: PushDevice, push_service: Receiver) -> None:
    other = add_device(event, push_service, "red1")
    assert submit(event, "red1", {"endpoint": device.endpoint, "stop": "1"}).status_code == 204
    assert PushSubscription.objects.get().endpoint == other.endpoint


@pytest.mark.usefixtures("device")
def test_devices_of_a_guest_who_leaves_are_deleted(box: BallotBox) -> None:
    leaving, staying = new_guest(), new_guest()
    for guest in (leaving, staying):
        PushSubscription.objects.create(guest=guest, endpoint=f"https://push.example/{guest.pk}")
    guest_left.send(Guest, guest=leaving, box=box)
    assert set(PushSubscription.objects.values_list("guest", flat=True)) == {None, staying.pk}


def test_purge_deletes_devices_after_the_event(turn: Turn) -> None:
    month, now = timedelta(days=31), timezone.now()
    PushSubscription.objects.update(seen_at=now - 2 * month)
    assert purge_addresses() == 0  # the match is live
    ended = Match.objects.filter(pk=turn.match_id)
    ended.update(state=MatchState.ABORTED, ended_at=(now - month).timestamp() * 1000)
    assert purge_addresses() == 3  # with its two notifications


def test_messages_of_a_batch_are_sent_at_once(
    event: Event, device: PushDevice, box: BallotBox, push_service: Receiver
) -> None:
    """So those that hang delay no other."""
    add_device(event, push_service, "red2")
    open_turn(event, box)
    push_service.meeting = Barrier(2)
    send_all(box)
    assert not PushNotification.objects.filter(news=VoteNews.OPEN).exists()


def test_worker_of_webhooks_sends_pushes() -> None:
    """E-mails and computer ballots have a worker of their own."""
    queues = [
        current_app.amqp.router.route({}, name)["queue"].name
        for name in (push.SEND_PUSHES, email.SEND_NOTIFICATIONS)
    ]
    assert queues == ["webhooks", "background"]
