"""WebSocket consumers of phones and displays, called directly."""

import asyncio
import json
from typing import Any, ClassVar

import pytest

from tests.voting.gateway_helpers import FakeConnection, new_room, playing, until
from voting import protocol
from voting.admission.seats import Seat
from voting.gateway import hooks, socket
from voting.gateway.display import DisplayConsumer
from voting.gateway.phone import PhoneConsumer
from voting.gateway.socket import SocketConsumer
from voting.gateway.text_frames import text_frame
from voting.metrics.metrics import SLOW_CONSUMERS
from voting.protocol import CloseCode, NicknameAnswered, NicknameAsk

pytestmark = pytest.mark.django_db
JOIN = b'{"type":"phone.join","code":"Q7RM"}'
CHEER, CLOCK = b'{"type":"cheer.send","presses":1}', b'{"type":"clock.ask","sent":5}'


@pytest.mark.parametrize("frames", [[], [b"{}"]], ids=["silent", "malformed frame"])
async def test_phone_that_joins_late_is_closed(frames: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """Other frames do not extend the timeout."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    connection = FakeConnection()
    phone = PhoneConsumer(connection.scope)
    phone.begin()
    for frame in frames:
        phone.handle_message(frame)
    await until(lambda: connection.closed_with is not None)
    assert ["malformed" in text for text in connection.texts] == [True] * len(frames)
    assert connection.closed_with == CloseCode.JOIN_TIMEOUT


class ReadyGateway:
    """A gateway that has a room for each code, and knows the time once `sync_time` was called."""

    retry_ms = None
    knows_time = False
    slow_consumers = 0

    async def room(self, _: str) -> Any:
        return new_room(1, 1, playing(1))

    async def sync_time(self) -> None:
        self.knows_time = True

    def now(self) -> int:
        return 7


async def test_busy_server_answers_join_with_retry_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the delay, all phones would reconnect at once and time out again."""

    async def load_forever(*_: object) -> None:
        await asyncio.Event().wait()

    connection = FakeConnection()
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(ReadyGateway, "room", load_forever)
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    await handle(PhoneConsumer(connection.scope), JOIN)
    assert json.loads(connection.texts[0]) == {"type": "retry.after", "within_ms": 15_000}
    assert connection.closed_with == CloseCode.CROWDED


async def handle(consumer: SocketConsumer, text: bytes | None) -> None:
    waiting = consumer.handle_message(text)
    if waiting is not None:
        await waiting


async def test_phone_chooses_nicknames_one_at_a_time_and_only_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    async def answer(_event: int, _code: str, message: NicknameAsk, _now: int) -> NicknameAnswered:
        asked.append(message.name)
        return NicknameAnswered()

    monkeypatch.setattr(hooks, "nickname_requests", [answer])
    room, phone = new_room(1, 0, playing(1)), PhoneConsumer(FakeConnection().scope)
    phone.voter = room.add_voter(phone, Seat(1, "a", 1))
    for number in range(20):
        for name in (f"first {number}", f"second {number}"):
            phone.handle_joined(NicknameAsk(name=name), room)
        await asyncio.sleep(0)
    assert asked == [f"first {number}" for number in range(10)]


class Echo(SocketConsumer):
    kind: ClassVar = "phone"
    messages: ClassVar = protocol.PhoneMessage

    async def join(self, message: Any, room: Any) -> None:
        self.room = room

    def handle_joined(self, message: Any, room: Any) -> None:
        self.send(message)


async def echo(*, joined: bool = True) -> tuple[Echo, FakeConnection]:
    connection = FakeConnection()
    consumer = Echo(connection.scope)
    if joined:
        await handle(consumer, JOIN)
    return consumer, connection


BEFORE_JOIN = socket.FRAME_BURST // socket.FRAME_COST_BEFORE_JOIN


@pytest.mark.parametrize(
    ("joined", "frame", "messages", "code"),
    [
        (True, CHEER, socket.FRAME_BURST + 1, CloseCode.TOO_MANY_FRAMES),
        (True, CHEER, socket.FRAME_BURST // 2, None),
        (False, CLOCK, BEFORE_JOIN, None),
        (False, CLOCK, BEFORE_JOIN + 1, CloseCode.TOO_MANY_FRAMES),
    ],
)
async def test_flood_closes_the_socket(
    joined: bool, frame: bytes, messages: int, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    consumer, connection = await echo(joined=joined)
    for _ in range(messages):
        await handle(consumer, frame)
    assert connection.closed_with == code
    assert len(connection.texts) <= socket.FRAME_BURST


async def test_binary_message_closes_a_socket_which_leaves_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    consumer, connection = await echo()
    assert consumer.room is not None
    consumer.room.sockets.add_unseated(consumer)
    await handle(consumer, None)
    assert (connection.closed_with, consumer.room.sockets.all()) == (CloseCode.BAD_FRAME, [])


@pytest.mark.parametrize(("consumer", "shown"), [(PhoneConsumer, []), (DisplayConsumer, ["turnout"])])
def test_joining_socket_receives_what_it_shows(consumer: type[SocketConsumer], shown: list[str]) -> None:
    connection, room = FakeConnection(), new_room(1, 1, playing(1))
    room.seal, room.last_sent.turnout = text_frame(b"seal"), text_frame(b"turnout")
    consumer(connection.scope).enter_room(room, protocol.ClockSynced(sent=1, now_at=2))
    assert connection.texts[1:] == ["seal", *shown]


def test_slow_consumer_is_counted_for_the_log_and_the_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway, counted = ReadyGateway(), list[None]()
    monkeypatch.setattr(socket, "gateway", lambda: gateway)
    monkeypatch.setattr(SLOW_CONSUMERS, "inc", lambda: counted.append(None))
    PhoneConsumer(FakeConnection().scope).handle_overflow()
    assert (gateway.slow_consumers, len(counted)) == (1, 1)
