import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
import pytest
from asgiref.sync import sync_to_async
from django.db.models import F

from tests.voting.gateway_helpers import (
    FakeSocket,
    in_a_thread,
    latest,
    make_room,
    open_gateway,
    open_room,
    until,
    voter,
)
from tests.voting.match_helpers import new_event, open_now, play_turn, start
from voting import protocol
from voting.announcements import channel_layer as layer
from voting.announcements.channel_layer import NOT_A_CHANGE, LayerMessage
from voting.announcements.outbox import announce, announcements_after
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway import event_lookup
from voting.gateway.event_room import EventRoom
from voting.gateway.heartbeats import IDLE_ROOM_TTL_S
from voting.gateway.room_sockets import WRITES_PER_ITERATION, Broadcaster
from voting.gateway.subscriber import EventSubscriber
from voting.gateway.supplements import write_to_all
from voting.gateway.text_frames import text_frame
from voting.models import Event, Match

SEAL, REVEAL, OPENED = map(text_frame, (b"seal", b"reveal", b"opened"))
pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
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


@pytest.mark.django_db(transaction=True)
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


@pytest.mark.django_db(transaction=True)
async def test_gateway_broadcasts_once_in_order(valkey_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.POLL_S", 3600)
    event, socket = await in_a_thread(new_event), FakeSocket()
    async with open_gateway() as gateway:
        room = await open_room(gateway, event.code, socket)
        for now in range(4):
            await in_a_thread(partial(announce, event.pk, protocol.EventEdited, now))
        copies = await in_a_thread(lambda: announcements_after(event.pk, 0))
        for number in (0, 0, 2, 1, 0, 3, 2):
            await asyncio.to_thread(layer.publish, [copies[number]])
        await until(lambda: room.seq == 4)
        last = LayerMessage(event.pk, 5, copies[0].body.replace(b'"seq":1', b'"seq":5'))
        await asyncio.to_thread(layer.publish, [copies[1], copies[3], last])
        await until(lambda: room.seq == 5)
    assert socket.seqs == [1, 2, 3, 4, 5]


@pytest.mark.django_db(transaction=True)
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


@pytest.mark.django_db(transaction=True)
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


async def test_held_frames_go_in_order_with_the_next_frames_in_one_write() -> None:
    broadcaster, phone, late, gone = Broadcaster(), FakeSocket(), FakeSocket(), FakeSocket()
    broadcaster.hold([phone], OPENED)
    broadcaster.hold([phone, gone], SEAL)
    await broadcaster.flush()
    assert phone.writes == []
    broadcaster.add([phone, late], REVEAL)
    await broadcaster.flush()
    broadcaster.release()
    await broadcaster.flush()
    assert phone.writes == [["opened", "seal", "reveal"]]
    assert late.writes == [["reveal"]]
    assert gone.writes == [["seal"]]
    broadcaster.hold([late], SEAL)
    broadcaster.release()
    broadcaster.add([late], REVEAL)
    await broadcaster.flush()
    assert late.writes == [["reveal"], ["seal", "reveal"]], "released frames stay in order"


async def test_frames_added_during_a_flush_join_those_not_yet_written() -> None:
    broadcaster = Broadcaster()
    phones = [FakeSocket() for _ in range(2 * WRITES_PER_ITERATION)]
    broadcaster.add(phones, SEAL)
    first = asyncio.create_task(broadcaster.flush())
    await asyncio.sleep(0)
    broadcaster.add(phones, REVEAL)
    await broadcaster.flush()  # the first flush writes these frames, too
    await first
    reached, waiting = phones[:WRITES_PER_ITERATION], phones[WRITES_PER_ITERATION:]
    assert all(phone.writes == [["seal"], ["reveal"]] for phone in reached)
    assert all(phone.writes == [["seal", "reveal"]] for phone in waiting)


async def test_write_to_all_yields_between_batches() -> None:
    phones = [FakeSocket() for _ in range(2 * WRITES_PER_ITERATION)]
    writing = asyncio.create_task(write_to_all(phones, SEAL))
    await asyncio.sleep(0)
    assert sum(len(phone.frames) for phone in phones) == WRITES_PER_ITERATION
    await writing
    assert all(phone.frames == ["seal"] for phone in phones)


def test_frame_lengths_follow_rfc_6455() -> None:
    assert text_frame("é".encode()) == b"\x81\x02\xc3\xa9"
    assert text_frame(b"x" * 125)[:2] == b"\x81\x7d"
    assert text_frame(b"x" * 126)[:4] == b"\x81\x7e\x00\x7e"
    assert text_frame(b"x" * 65_535)[:4] == b"\x81\x7e\xff\xff"
    assert text_frame(b"x" * 65_536)[:10] == b"\x81\x7f" + (65_536).to_bytes(8, "big")


def seal_of(room: EventRoom) -> LayerMessage:
    seal = protocol.TurnSealed(turn=room.turn_ref[0], at=1, red=None, yellow=None, turn_commitment="0" * 64)
    return LayerMessage(room.event_id, NOT_A_CHANGE, msgspec.json.encode(seal))


def receive(room: EventRoom, scenario: Callable[[Callable[[LayerMessage], None]], Awaitable[None]]) -> None:
    """Run a scenario with a function that receives a message, each in a task of its own."""
    nothing: Any = None

    async def run() -> None:
        subscriber = EventSubscriber({}, lambda: 0, nothing)
        tasks = list[asyncio.Task[None]]()
        await scenario(lambda copy: tasks.append(asyncio.create_task(subscriber.receive(room, copy))))
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def kinds(socket: FakeSocket) -> list[str]:
    return [message["type"] for message in socket.received]


def test_phone_receives_seal_with_the_reveal(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone that joins before the reveal gets the room's seal; there is none afterwards."""
    monkeypatch.setattr("voting.gateway.subscriber.SEAL_HOLD_S", 3_600)
    turn, screen, phone = start(box), FakeSocket(), voter("a", 1)
    open_now(turn, box)
    room = make_room(turn.match.event_id, screen, phone)
    seal = seal_of(room)
    play_turn(turn, box)
    revealed = latest(turn.match.event_id)

    async def scenario(send: Callable[[LayerMessage], None]) -> None:
        send(seal)
        await until(lambda: kinds(screen) == ["turn.sealed"])
        send(seal)
        await asyncio.sleep(0)
        assert phone.frames == []
        assert room.seal is not None
        send(revealed)
        await until(lambda: len(phone.frames) == 2)
        assert room.seal is None
        send(seal)  # published late, by another process
        await asyncio.sleep(0)

    room.seq = revealed.seq - 1
    receive(room, scenario)
    assert kinds(phone) == kinds(screen) == ["turn.sealed", "turn.revealed"]


def test_phone_receives_seal_without_reveal_after_a_while(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A seal of another version, which is unreadable, is ignored."""
    monkeypatch.setattr("voting.gateway.subscriber.SEAL_HOLD_S", 0)
    phone = voter("a", 1)
    room = make_room(start(box).match.event_id, phone)

    async def scenario(send: Callable[[LayerMessage], None]) -> None:
        send(LayerMessage(room.event_id, NOT_A_CHANGE, b'{"type":"turn.sealed","turn":"7"}'))
        await until(lambda: "could not decode a seal" in caplog.text)
        assert room.seal is None
        send(seal_of(room))
        await until(lambda: bool(phone.frames))

    receive(room, scenario)
    assert kinds(phone) == ["turn.sealed"]
    assert room.seal is not None
