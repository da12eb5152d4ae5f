"""A seal reaches screens at once, and each phone once, before the reveal."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from tests.voting.gateway_helpers import FakeSocket, latest, make_room, until, voter
from tests.voting.match_helpers import open_now, play_turn, start
from voting import protocol
from voting.announcements.channel_layer import NOT_A_CHANGE, LayerMessage
from voting.ballot_box.ballot_box import BallotBox
from voting.gateway.event_room import EventRoom
from voting.gateway.subscriber import EventSubscriber

pytestmark = pytest.mark.django_db
NEVER_S = 3_600


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals are held for phones until the reveal."""
    monkeypatch.setattr("voting.gateway.subscriber.SEAL_HOLD_S", NEVER_S)


def seal_of(room: EventRoom) -> LayerMessage:
    assert room.turn is not None
    seal = protocol.TurnSealed(turn=room.turn.id, at=1, red=None, yellow=None, turn_commitment="0" * 64)
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
    return [msgspec.json.decode(frame)["type"] for frame in socket.frames]


@pytest.mark.usefixtures("held")
def test_phone_receives_seal_with_reveal_and_screen_at_once(box: BallotBox) -> None:
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
        send(revealed)
        await until(lambda: len(phone.frames) == 2)
        send(seal)  # published late, by another process
        await asyncio.sleep(0)

    room.seq = revealed.seq - 1
    receive(room, scenario)
    assert kinds(phone) == kinds(screen) == ["turn.sealed", "turn.revealed"]


def test_phone_receives_seal_without_reveal_after_a_while(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.gateway.subscriber.SEAL_HOLD_S", 0)
    turn, phone = start(box), voter("a", 1)
    room = make_room(turn.match.event_id, phone)

    async def scenario(send: Callable[[LayerMessage], None]) -> None:
        send(seal_of(room))
        await until(lambda: bool(phone.frames))

    receive(room, scenario)
    assert kinds(phone) == ["turn.sealed"]
    assert room.seal is not None


def test_unreadable_seal_of_another_version_is_ignored(
    box: BallotBox, caplog: pytest.LogCaptureFixture
) -> None:
    turn, screen = start(box), FakeSocket()
    room = make_room(turn.match.event_id, screen)

    async def scenario(send: Callable[[LayerMessage], None]) -> None:
        send(LayerMessage(room.event_id, NOT_A_CHANGE, b'{"type":"turn.sealed","turn":"7"}'))
        await until(lambda: "could not decode a seal" in caplog.text)

    receive(room, scenario)
    assert screen.frames == []


@pytest.mark.usefixtures("held")
def test_next_change_ends_the_current_seal(box: BallotBox) -> None:
    """A phone that joins gets the seal of the current turn, and of no other."""
    turn, phone = start(box), voter("a", 1)
    open_now(turn, box)
    room = make_room(turn.match.event_id, phone)
    seal = seal_of(room)

    async def scenario(send: Callable[[LayerMessage], None]) -> None:
        send(seal)
        await until(lambda: room.seal is not None)
        room.apply(revealed)

    play_turn(turn, box)
    revealed = latest(turn.match.event_id)
    receive(room, scenario)
    assert room.seal is None
