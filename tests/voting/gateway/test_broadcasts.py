"""Broadcasts: order and number of writes to each socket, and the seal of a turn before its reveal."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from tests.voting.gateway_helpers import FakeSocket, latest, make_room, read_texts, until, voter
from tests.voting.match_helpers import open_now, play_turn, start
from voting import protocol
from voting.announcements.channel_layer import NOT_A_CHANGE, LayerMessage
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.event_room import EventRoom
from voting.gateway.room_sockets import WRITES_PER_ITERATION, Broadcaster
from voting.gateway.subscriber import EventSubscriber
from voting.gateway.supplements import write_to_all
from voting.gateway.text_frames import text_frame

SEAL, REVEAL, OPENED = map(text_frame, (b"seal", b"reveal", b"opened"))


@dataclass(eq=False)
class Recorder:
    writes: list[list[str]] = field(default_factory=list)

    def write(self, wire: bytes) -> None:
        self.writes.append(read_texts(wire))

    def end(self, code: int, within_ms: int | None = None) -> None: ...


async def test_held_frames_go_in_order_with_the_next_frames_in_one_write() -> None:
    broadcaster, phone, late, gone = Broadcaster(), Recorder(), Recorder(), Recorder()
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
    phones = [Recorder() for _ in range(2 * WRITES_PER_ITERATION)]
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


pytestmark = pytest.mark.django_db


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
