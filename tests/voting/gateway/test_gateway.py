"""What is announced reaches the rooms of a gateway once, in order and in words they understand."""

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
from voting.announcements import layer
from voting.announcements.layer import Copy
from voting.announcements.outbox import announce, announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.gateway import Gateway

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_what_comes_twice_late_or_not_at_all_is_told_once_and_in_order(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the database holds other numbers
    event, socket = new_event(), FakeSocket()
    for now in range(4):
        announce(event.pk, protocol.EventEdited, now)
    copies = announcements_after(event.pk, 0)
    Event.objects.filter(pk=event.pk).update(seq=0)

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.seq = 0
        room.screens.add(socket)
        for number in (0, 0, 2, 1, 0, 3, 2):
            await asyncio.to_thread(layer.publish, [copies[number]])
        await until(lambda: room.seq == 4)
        await asyncio.to_thread(layer.publish, [copies[1], copies[3]])
        last = Copy(event.pk, 5, copies[0].body.replace(b'"seq":1', b'"seq":5'))
        await asyncio.to_thread(layer.publish, [last])
        await until(lambda: room.seq == 5)

    with_gateway(conversation)
    assert socket.seqs == [1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
def test_what_is_found_and_heard_at_once_is_told_once(valkey_url: str) -> None:
    """The beat and the ear may both be at it."""
    event, socket = new_event(), FakeSocket()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        for _ in range(3):
            await asyncio.to_thread(_announce, event.pk)
        await asyncio.gather(*[gateway.subscriber.catch_up(room) for _ in range(3)])

    with_gateway(conversation)
    assert socket.seqs == [1, 2, 3]


@pytest.mark.django_db(transaction=True)
def test_what_was_never_sent_is_found_in_the_database(valkey_url: str) -> None:
    event, socket = new_event(), FakeSocket()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        await asyncio.to_thread(_announce, event.pk)
        await until(lambda: socket.seqs)

    with_gateway(conversation)
    assert socket.seqs == [1]


@pytest.mark.django_db(transaction=True)
def test_a_slow_press_in_a_control_room_does_not_keep_a_gateway_from_the_database(valkey_url: str) -> None:
    event, socket = new_event(), FakeSocket()

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(event.code)
        assert room is not None
        room.screens.add(socket)
        caught_up = threading.Event()
        press = asyncio.create_task(sync_to_async(caught_up.wait)(30))
        await asyncio.to_thread(_announce, event.pk)
        await gateway.subscriber.catch_up(room)
        assert not press.done()
        caught_up.set()
        assert await press

    with_gateway(conversation)
    assert socket.seqs == [1]


def _announce(event_id: int) -> None:
    announce(event_id, protocol.EventEdited, 1)
    connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_an_announcement_of_another_version_is_made_good_by_what_this_one_makes_of_the_event(
    box: BallotBox,
) -> None:
    turn, socket = start(box), FakeSocket()
    event_id = turn.match.event_id

    def unreadable() -> None:
        Event.objects.filter(pk=event_id).update(seq=F("seq") + 1, name="Another evening")
        seq = Event.objects.get(pk=event_id).seq
        layer.publish([Copy(event_id, seq, b'{"type":"turn.turned"}')])

    def play_draughts() -> None:
        Match.objects.filter(event_id=event_id).update(game="draughts")

    async def conversation(gateway: Gateway) -> None:
        room = await gateway.room(turn.match.event.code)
        assert room is not None
        room.screens.add(socket)
        await asyncio.to_thread(unreadable)
        await until(lambda: socket.seqs)
        message = next(message for message in map(msgspec.json.decode, socket.frames) if "seq" in message)
        assert (message["type"], message["state"]["name"]) == ("event.edited", "Another evening")
        assert (message["seq"], room.state.name) == (room.seq, "Another evening")
        seq = room.seq
        await asyncio.to_thread(play_draughts)
        await asyncio.to_thread(unreadable)
        await until(lambda: room.seq == seq + 1)
        changes = [frame for frame in socket.frames if "turnout.counted" not in frame]
        assert len(changes) == 1
        assert not any(task.done() for task in gateway._tasks)

    with_gateway(conversation)


def test_a_reveal_that_does_not_tell_when_it_was_sealed_is_understood(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    message = msgspec.json.decode(latest(turn.match.event_id).body)
    del message["state"]["match"]["reveal"]["sealed_at"]
    match = protocol.decode_change(msgspec.json.encode(message)).state.match
    assert match is not None
    assert match.reveal is not None
    assert (match.reveal.sealed_at, match.reveal.turn) == (0, turn.pk)
