"""Announcements reach the rooms of a gateway once, in order and decodable."""

import asyncio
import threading

import msgspec
import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.db.models import F

from games.models import Event, Match
from tests.voting.gateway_helpers import FakeSocket, latest, until, with_gateway
from tests.voting.match_helpers import new_event, play_turn, start
from voting import protocol
from voting.announcements import channel_layer as layer
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.outbox import announce, announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.gateway import Gateway

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_gateway_broadcasts_duplicate_and_late_announcements_once_in_order(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the database holds other numbers
    event, socket = new_event(), FakeSocket()
    for now in range(4):
        announce(event.pk, protocol.EventEdited, now)
    copies = announcements_after(event.pk, 0)
    Event.objects.filter(pk=event.pk).update(seq=0)

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.seq = 0
        room.screens.add(socket)
        for number in (0, 0, 2, 1, 0, 3, 2):
            await asyncio.to_thread(layer.publish, [copies[number]])
        await until(lambda: room.seq == 4)
        await asyncio.to_thread(layer.publish, [copies[1], copies[3]])
        last = LayerMessage(event.pk, 5, copies[0].body.replace(b'"seq":1', b'"seq":5'))
        await asyncio.to_thread(layer.publish, [last])
        await until(lambda: room.seq == 5)

    with_gateway(scenario)
    assert socket.seqs == [1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
def test_concurrent_catch_ups_broadcast_once(valkey_url: str) -> None:
    """The heartbeat and the subscriber may catch up at the same time."""
    event, socket = new_event(), FakeSocket()

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        for _ in range(3):
            await asyncio.to_thread(_announce, event.pk)
        await asyncio.gather(*[gateway.subscriber.catch_up(room) for _ in range(3)])

    with_gateway(scenario)
    assert socket.seqs == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_gateway_finds_unsent_announcement_in_database(valkey_url: str) -> None:
    event, socket = new_event(), FakeSocket()

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        await asyncio.to_thread(_announce, event.pk)
        await until(lambda: socket.seqs)

    with_gateway(scenario)
    assert socket.seqs == [1]


@pytest.mark.django_db(transaction=True)
def test_slow_console_action_does_not_block_catch_up(valkey_url: str) -> None:
    event, socket = new_event(), FakeSocket()

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        caught_up = threading.Event()
        slow_action = asyncio.create_task(sync_to_async(caught_up.wait)(30))
        await asyncio.to_thread(_announce, event.pk)
        await gateway.subscriber.catch_up(room)
        assert not slow_action.done()
        caught_up.set()
        assert await slow_action

    with_gateway(scenario)
    assert socket.seqs == [1]


def _announce(event_id: int) -> None:
    announce(event_id, protocol.EventEdited, 1)
    connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_unreadable_announcement_is_replaced_by_fresh_snapshot(
    box: BallotBox,
) -> None:
    turn, socket = start(box), FakeSocket()
    event_id = turn.match.event_id

    def publish_unreadable() -> None:
        Event.objects.filter(pk=event_id).update(seq=F("seq") + 1, name="Another evening")
        seq = Event.objects.get(pk=event_id).seq
        layer.publish([LayerMessage(event_id, seq, b'{"type":"turn.turned"}')])

    def set_unknown_game() -> None:
        Match.objects.filter(event_id=event_id).update(game="draughts")

    async def scenario(gateway: Gateway) -> None:
        room = await gateway.room(turn.match.event.code)
        assert room is not None
        room.screens.add(socket)
        await asyncio.to_thread(publish_unreadable)
        await until(lambda: socket.seqs)
        message = next(message for message in map(msgspec.json.decode, socket.frames) if "seq" in message)
        assert (message["type"], message["state"]["name"]) == ("event.edited", "Another evening")
        assert (message["seq"], room.state.name) == (room.seq, "Another evening")
        seq = room.seq
        await asyncio.to_thread(set_unknown_game)
        await asyncio.to_thread(publish_unreadable)
        await until(lambda: room.seq == seq + 1)
        changes = [frame for frame in socket.frames if "turnout.counted" not in frame]
        assert len(changes) == 1
        assert not any(task.done() for task in gateway._tasks)

    with_gateway(scenario)


def test_reveal_without_sealed_at_is_decoded(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    message = msgspec.json.decode(latest(turn.match.event_id).body)
    del message["state"]["match"]["reveal"]["sealed_at"]
    match = protocol.decode_change(msgspec.json.encode(message)).state.match
    assert match is not None
    assert match.reveal is not None
    assert (match.reveal.sealed_at, match.reveal.turn) == (0, turn.pk)
