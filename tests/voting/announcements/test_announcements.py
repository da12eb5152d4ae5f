import ast
import asyncio
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import transaction
from django.test import override_settings
from django.utils import timezone
from redis import Redis, RedisError
from redis.client import PubSub

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.supervisor import Supervisor
from tests.chaos.proxy import Impairment, Proxy
from tests.deploy.processes import wait_until
from tests.voting.match_helpers import new_event
from voting import protocol
from voting.announcements import outbox
from voting.announcements.channel_layer import ALL_EVENTS, LayerMessage, Subscription, publish, unpack
from voting.ballot_box.stores import connect_async
from voting.metrics.metrics import REGISTRY
from voting.models import Announcement, Event

pytestmark = pytest.mark.django_db
CODE = [path for package in ("voting", "crowdgame", "games") for path in (ROOT / package).rglob("*.py")]
# These calls block while Redis is frozen.
BLOCKING = {
    *("enqueue_close", "enqueue_early_close", "send_task", "delay", "apply_async"),
    *("publish", "relay", "place_and_relay", "close_turn", "restore_turn", "start_match"),
}
PITFALLS = r"BlockingConnectionPool|\beta=|countdown=|acks_late=True|RedisChannelLayer\("


@pytest.fixture
def event() -> Event:
    return new_event()


def announce_edits(event: Event, count: int = 1) -> None:
    for now in range(count):
        outbox.announce(event.pk, protocol.EventEdited, now)


class LayerListener:
    """The gateway's side of the channel layer."""

    def __init__(self, pubsub: PubSub) -> None:
        self._pubsub = pubsub
        self._received: list[LayerMessage] = []

    def receive(self) -> list[LayerMessage]:
        while message := self._pubsub.get_message():
            if message["type"] == "message":
                sent: dict[str, Any] = get_channel_layer().deserialize(message["data"])
                self._received += unpack(LayerMessage(sent["event_id"], sent["seq"], sent["body"]))
        return self._received

    def seqs(self, event: Event) -> list[int]:
        return [copy.seq for copy in self.receive() if copy.event_id == event.pk]


@contextmanager
def listening(url: str, *events: Event) -> Iterator[LayerListener]:
    with Redis.from_url(url) as redis, redis.pubsub() as pubsub:
        ids = [ALL_EVENTS, *(event.pk for event in events)]
        pubsub.subscribe(*[f"crowdgame__group__event.{event_id}" for event_id in ids])
        wait_until(lambda: len(redis.pubsub_channels()) == len(ids))
        yield LayerListener(pubsub)


def test_announce_stores_state_with_its_change_or_is_rolled_back(event: Event) -> None:
    with transaction.atomic():
        announce_edits(event)
        transaction.set_rollback(True)
    Event.objects.filter(pk=event.pk).update(lobby="open")
    outbox.announce(event.pk, protocol.LobbyOpened, now=1234)
    row = Announcement.objects.get(event=event)
    assert (row.seq, row.sent_at) == (1, None)
    message = msgspec.json.decode(bytes(row.body), type=protocol.ToPhone)
    assert isinstance(message, protocol.LobbyOpened)
    assert (message.seq, message.at, message.state.lobby) == (1, 1234, "open")


def test_relay_sends_in_order_and_once(event: Event, valkey_url: str) -> None:
    other = new_event()
    announce_edits(event, 3)
    announce_edits(other, 3)
    with listening(valkey_url, event, other) as listener:
        outbox.relay(event.pk)
        wait_until(lambda: listener.seqs(event) == [1, 2, 3])
        assert listener.seqs(other) == []
        announce_edits(event)
        outbox.relay()
        wait_until(lambda: (listener.seqs(event), listener.seqs(other)) == ([1, 2, 3, 4], [1, 2, 3]))
        outbox.relay()
        outbox.relay(event.pk)
        announce_edits(event)
        outbox.relay()
        wait_until(lambda: listener.seqs(event)[4:] == [5])
        received = listener.receive()
    assert len(received) == 8
    own = [copy for copy in received if copy.event_id == event.pk]
    assert outbox.announcements_after(event.pk, 2) == own[2:]
    assert outbox.latest_seqs([event.pk, other.pk]) == {event.pk: 5, other.pk: 3}
    assert outbox.latest_seqs([]) == {}
    assert not Announcement.objects.filter(sent_at=None).exists()


@contextmanager
def unreachable_layer() -> Iterator[None]:
    unreachable = {"CONFIG": {"hosts": [{"address": f"redis://{LOOPBACK}:{free_port()}/0"}]}}
    with override_settings(CHANNEL_LAYERS={"default": settings.CHANNEL_LAYERS["default"] | unreachable}):
        yield


def test_relay_keeps_unsent_in_order(event: Event, valkey_url: str, caplog: pytest.LogCaptureFixture) -> None:
    with unreachable_layer():
        outbox.relay()
        assert "unavailable" not in caplog.text, "nothing to send"
        announce_edits(event, 2)
        outbox.relay(event.pk)
    assert Announcement.objects.filter(sent_at=None).count() == 2
    assert "channel layer unavailable" in caplog.text
    announce_edits(event)
    with listening(valkey_url, event) as listener:
        outbox.relay(event.pk)
        wait_until(lambda: listener.seqs(event) == [1, 2, 3])


@pytest.mark.parametrize("order", ["joins first", "listens first"])
async def test_subscription_receives_only_joined_events(order: str, valkey_url: str) -> None:
    subscription = Subscription()
    copies = subscription.copies()
    if order == "listens first":
        listener = asyncio.ensure_future(anext(copies))
        await asyncio.sleep(0)
    for event in (7, 8):
        await subscription.join(event)
    await subscription.leave(8)
    if order == "joins first":
        listener = asyncio.ensure_future(anext(copies))
    for event in (8, 9, 7):
        await asyncio.to_thread(publish, [LayerMessage(event, 1, b"body")])
    assert await asyncio.wait_for(listener, 10) == LayerMessage(7, 1, b"body")


async def test_messages_of_several_events_are_sent_as_one(valkey_url: str) -> None:
    sent = [LayerMessage(7, 1, b"one"), LayerMessage(8, 0, b"two"), LayerMessage(7, 2, b"three")]
    subscription = Subscription()
    await subscription.join(ALL_EVENTS)
    await asyncio.to_thread(publish, sent)
    copies = subscription.copies()
    assert [await asyncio.wait_for(anext(copies), 10) for _ in sent] == sent


def test_relay_sends_long_outbox_in_batches(event: Event, valkey_url: str) -> None:
    rows = [Announcement(event=event, seq=seq, body=b"{}") for seq in range(1, outbox.RELAY_BATCH_SIZE + 11)]
    Announcement.objects.bulk_create(reversed(rows))
    with listening(valkey_url, event) as listener:
        outbox.relay()
        assert Announcement.objects.filter(sent_at=None).count() == 10
        outbox.relay()
        wait_until(lambda: listener.seqs(event) == list(range(1, outbox.RELAY_BATCH_SIZE + 11)))


def test_purge_deletes_only_announcements_sent_long_ago(event: Event) -> None:
    announce_edits(event, 3)
    over = outbox.SENT_RETENTION + timedelta(minutes=1)
    rows = Announcement.objects.filter(event=event)
    rows.update(made_at=timezone.now() - over)
    rows.filter(seq=1).update(sent_at=timezone.now() - over)
    rows.filter(seq=2).update(sent_at=timezone.now() - outbox.SENT_RETENTION + timedelta(minutes=1))
    outbox.purge_old()
    assert [(row.seq, row.sent_at is None) for row in rows.order_by("seq")] == [(2, False), (3, True)]


def test_relay_records_lag_metric(event: Event, valkey_url: str) -> None:
    def lag(part: str) -> float:
        return REGISTRY.get_sample_value(f"crowdgame_relay_lag_seconds_{part}") or 0.0

    before = lag("count"), lag("sum")
    announce_edits(event)
    Announcement.objects.filter(event=event).update(made_at=timezone.now() - timedelta(seconds=5))
    outbox.relay()
    outbox.relay()
    assert lag("count") == before[0] + 1
    assert 5 <= lag("sum") - before[1] < 60


def test_publish_recovers_when_cut_off(event: Event, valkey_url: str, valkey_process: Supervisor) -> None:
    """The publisher reuses its connection, which may have died since the last announcement."""
    publish([LayerMessage(event.pk, 1, b"one")])
    valkey = valkey_process.pid("valkey")
    assert valkey is not None
    os.kill(valkey, signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError):
            publish([LayerMessage(event.pk, 2, b"two")])
    finally:
        os.kill(valkey, signal.SIGCONT)
    with listening(valkey_url, event) as listener, Redis.from_url(valkey_url) as redis:
        publish([LayerMessage(event.pk, 3, b"three")])
        redis.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        publish([LayerMessage(event.pk, 4, b"four")])
        wait_until(lambda: listener.seqs(event)[-2:] == [3, 4])


def test_source_avoids_known_redis_and_celery_pitfalls() -> None:
    for path in CODE:
        text = path.read_text()
        assert re.findall(PITFALLS, text) == [], path
        coroutines = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.AsyncFunctionDef)]
        calls = [call.func for node in coroutines for call in ast.walk(node) if isinstance(call, ast.Call)]
        names = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
        assert names & BLOCKING == set(), path
    assert not settings.CELERY_TASK_ACKS_LATE, "after a restart of Redis, workers would repeat tasks"


@pytest.mark.nightly
async def test_subscription_receives_after_long_idle_period(valkey_url: str) -> None:
    """The default read timeout of redis-py is five seconds."""
    subscription, sent = Subscription(), LayerMessage(4711, 1, b"{}")
    await subscription.join(4711)
    received = asyncio.ensure_future(anext(subscription.copies()))
    await asyncio.sleep(6.0)
    assert not received.done()
    await asyncio.to_thread(publish, [sent])
    assert await asyncio.wait_for(received, 15) == sent
    await get_channel_layer().flush()


async def test_async_redis_client_does_not_retry(valkey_url: str) -> None:
    with Proxy(urlsplit(valkey_url).port or 0) as proxy, Redis.from_url(valkey_url) as direct:
        redis = connect_async(f"redis://{LOOPBACK}:{proxy.port}/0")
        try:
            await redis.ping()
            proxy.impairment = Impairment(lost_reply=b"traps")
            with pytest.raises(RedisError):
                await redis.incr("traps")
        finally:
            await redis.aclose()
        assert direct.get("traps") == b"1"
