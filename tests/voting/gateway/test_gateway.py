"""A gateway's event rooms: lookup and expiry; announcements arrive once, in order and decodable."""

import asyncio
import threading
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db.models import F

from tests.voting.gateway_helpers import FakeSocket, in_a_thread, open_gateway, open_room, until
from tests.voting.match_helpers import new_event, start
from voting import protocol
from voting.announcements import channel_layer as layer
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.outbox import announce, announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway import event_lookup
from voting.gateway.event_room import EventRoom
from voting.gateway.heartbeats import IDLE_ROOM_TTL_S
from voting.models import Event, Match

pytestmark = pytest.mark.django_db(transaction=True)


async def test_gateway_has_one_room_per_code_and_drops_it_when_idle(valkey_url: str) -> None:
    event, other = await in_a_thread(new_event), await in_a_thread(new_event)
    async with open_gateway() as gateway:
        rooms = await asyncio.gather(*[gateway.room(code) for code in [event.code, event.code.lower()] * 5])
        assert len(set(map(id, rooms))) == 1
        assert await gateway.room("ZZZZ") is None
        kept, dropped = await open_room(gateway, event.code), await open_room(gateway, other.code)
        for room in (kept, dropped):
            room.asked_at = time.monotonic() - IDLE_ROOM_TTL_S - 1
        assert await gateway.room(event.code) is kept is rooms[0]
        await until(lambda: other.code not in gateway._rooms)
        assert await gateway.room(event.code) is kept
        assert await gateway.room(other.code) is not dropped


async def test_guessed_codes_share_queries(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    events, loads = [await in_a_thread(new_event), await in_a_thread(new_event)], []
    stuck, find = asyncio.Event(), event_lookup.existing_codes
    guesses = [f"Z{number}" for number in range(500)]

    def counted(codes: set[str]) -> set[str]:
        loads.append(codes)
        return find(codes)

    async with open_gateway() as gateway:
        heartbeat = gateway._presence.heartbeat

        async def stuck_heartbeat(room: EventRoom) -> Any:
            if room.event_id == events[0].pk:
                await stuck.wait()
            return await heartbeat(room)

        monkeypatch.setattr(event_lookup, "existing_codes", counted)
        monkeypatch.setattr(gateway._presence, "heartbeat", stuck_heartbeat)
        waiting = [asyncio.create_task(gateway.room(events[0].code)) for _ in range(20)]
        assert await asyncio.gather(*map(gateway.room, guesses)) == [None] * 500
        assert await gateway.room("z7") is None
        assert await gateway.room(events[1].code) is not None
        waiting.pop().cancel()
        stuck.set()
        rooms = await asyncio.gather(*waiting)
        assert rooms[0] is not None
        assert rooms == [rooms[0]] * 19
        assert loads == [{events[0].code, *guesses}, {events[1].code}]
        await asyncio.sleep(event_lookup.MISS_TTL_S)
        await gateway.room("z7")
        assert loads[2:] == [{"Z7"}]


async def test_gateway_broadcasts_once_in_order(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)  # the database holds other numbers
    event, socket = await in_a_thread(new_event), FakeSocket()

    def announce_four() -> list[LayerMessage]:
        for now in range(4):
            announce(event.pk, protocol.EventEdited, now)
        Event.objects.filter(pk=event.pk).update(seq=0)
        return announcements_after(event.pk, 0)

    copies = await in_a_thread(announce_four)
    async with open_gateway() as gateway:
        room = await open_room(gateway, event.code, socket)
        room.seq = 0
        for number in (0, 0, 2, 1, 0, 3, 2):
            await asyncio.to_thread(layer.publish, [copies[number]])
        await until(lambda: room.seq == 4)
        await asyncio.to_thread(layer.publish, [copies[1], copies[3]])
        last = LayerMessage(event.pk, 5, copies[0].body.replace(b'"seq":1', b'"seq":5'))
        await asyncio.to_thread(layer.publish, [last])
        await until(lambda: room.seq == 5)
    assert socket.seqs == [1, 2, 3, 4, 5]


async def test_gateway_finds_unsent_announcements_once(valkey_url: str) -> None:
    """The heartbeat and the subscriber may catch up at the same time, and during a slow console action."""
    event, socket = await in_a_thread(new_event), FakeSocket()
    async with open_gateway() as gateway:
        room = await open_room(gateway, event.code, socket)
        for _ in range(3):
            await in_a_thread(lambda: announce(event.pk, protocol.EventEdited, 1))
        await asyncio.gather(*[gateway.subscriber.catch_up(room) for _ in range(3)])
        assert socket.seqs == [1, 2, 3]
        announced = threading.Event()
        slow_action = asyncio.create_task(sync_to_async(announced.wait)(30))
        await in_a_thread(lambda: announce(event.pk, protocol.EventEdited, 1))
        await until(lambda: socket.seqs == [1, 2, 3, 4])
        assert not slow_action.done()
        announced.set()
        assert await slow_action


async def test_unreadable_announcement_is_replaced_by_fresh_snapshot(box: BallotBox) -> None:
    turn, socket = await in_a_thread(lambda: start(box)), FakeSocket()
    event_id = turn.match.event_id

    def publish_unreadable(game: str) -> None:
        Event.objects.filter(pk=event_id).update(seq=F("seq") + 1, name="Another evening")
        Match.objects.filter(event_id=event_id).update(game=game)
        seq = Event.objects.get(pk=event_id).seq
        layer.publish([LayerMessage(event_id, seq, b'{"type":"turn.turned"}')])

    async with open_gateway() as gateway:
        room = await open_room(gateway, turn.match.event.code, socket)
        await in_a_thread(lambda: publish_unreadable(turn.match.game))
        await until(lambda: socket.seqs)
        message = next(message for message in socket.received if "seq" in message)
        assert (message["type"], message["state"]["name"]) == ("event.edited", "Another evening")
        assert (message["seq"], room.state.name) == (room.seq, "Another evening")
        seq = room.seq
        await in_a_thread(lambda: publish_unreadable("draughts"))  # nor can the snapshot be made
        await until(lambda: room.seq == seq + 1)
        assert socket.seqs == [seq]
        assert not any(task.done() for task in gateway._tasks)
