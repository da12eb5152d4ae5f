import asyncio
import json
import socket as sockets
from typing import Any

import pytest

from crowdgame.server.serving import websocket
from crowdgame.server.serving.frames import CLOSE, control_frame
from crowdgame.server.serving.websocket import MAX_FRAMES_BEHIND, WebSocket
from tests.voting.gateway_helpers import FakeConnection, new_room, playing, until
from voting import protocol
from voting.admission.seats import Seat
from voting.gateway import hooks, socket
from voting.gateway.connections import CONNECTION
from voting.gateway.display import DisplayConsumer
from voting.gateway.phone import PhoneConsumer
from voting.gateway.socket import SocketConsumer
from voting.gateway.text_frames import text_frame
from voting.metrics.metrics import SLOW_CONSUMERS
from voting.protocol import CloseCode, NicknameAnswered, NicknameAsk

pytestmark = pytest.mark.django_db
JOIN = b'{"type":"phone.join","code":"Q7RM"}'
CLOCK = b'{"type":"clock.ask","sent":5}'
BEFORE_JOIN = socket.FRAME_BURST // socket.FRAME_COST_BEFORE_JOIN
LONG = text_frame(b"x" * 16_000)


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


@pytest.mark.parametrize(
    ("joined", "messages", "code"),
    [
        (True, socket.FRAME_BURST + 1, CloseCode.TOO_MANY_FRAMES),
        (True, socket.FRAME_BURST // 2, None),
        (False, BEFORE_JOIN, None),
        (False, BEFORE_JOIN + 1, CloseCode.TOO_MANY_FRAMES),
    ],
)
async def test_flood_closes_the_socket(
    joined: bool, messages: int, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    connection = FakeConnection()
    consumer = PhoneConsumer(connection.scope)
    consumer.room = new_room(1, 1, playing(1)) if joined else None
    for _ in range(messages):
        await handle(consumer, CLOCK)
    assert connection.closed_with == code
    assert len(connection.texts) == messages - (code is not None)


def test_binary_message_closes_a_socket_which_leaves_its_room() -> None:
    connection, room = FakeConnection(), new_room(1, 1, playing(1))
    consumer = PhoneConsumer(connection.scope)
    consumer.wait_unseated(room)
    assert room.sockets.unseated == {consumer}
    consumer.handle_message(None)
    assert (connection.closed_with, room.sockets.all()) == (CloseCode.BAD_FRAME, [])


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


class Handler:
    overflows = disconnects = 0

    def handle_message(self, text: bytes | None) -> None: ...

    def handle_disconnect(self) -> None:
        self.disconnects += 1

    def handle_overflow(self) -> None:
        self.overflows += 1


async def connect(handler: Handler) -> tuple[WebSocket, sockets.socket]:
    """A connection that the handler is attached to, and the client's end of it."""
    own, client = sockets.socketpair()
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=own)
    connection, attached = WebSocket(transport, b"key", set()), asyncio.Event()
    transport.set_protocol(connection)

    async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})
        scope["extensions"][CONNECTION].attach(handler)
        attached.set()

    connection.begin(application, {}, b"")
    await attached.wait()
    return connection, client


async def test_slow_consumer_delays_nobody_and_is_dropped() -> None:
    handler, other = Handler(), Handler()
    (slow, client), (quick, reader) = await connect(handler), await connect(other)
    with client, reader:
        reader.recv(1_000)
        for _ in range(10 * MAX_FRAMES_BEHIND):
            slow.write(LONG)
            quick.write(text_frame(b"echo"))
            assert reader.recv(1_000) == text_frame(b"echo")
        assert (handler.overflows, other.overflows) == (1, 0)
        async with asyncio.timeout(10):
            await until(lambda: handler.disconnects)
    assert (handler.overflows, handler.disconnects) == (1, 1)


async def test_close_follows_what_was_written_and_nothing_follows_a_close() -> None:
    connection, client = await connect(Handler())
    with client:
        connection.write(text_frame(b"bye"))
        connection.close(CloseCode.RESTARTING)
        connection.write(text_frame(b"too late"))
        received = client.recv(1_000).partition(b"\r\n\r\n")[2]
    assert received == text_frame(b"bye") + control_frame(CLOSE, CloseCode.RESTARTING.to_bytes(2, "big"))


async def test_consumer_that_stays_behind_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "MAX_BEHIND_S", 0.05)
    handler = Handler()
    connection, client = await connect(handler)
    with client:
        for _ in range(MAX_FRAMES_BEHIND // 2):
            connection.write(LONG)
        async with asyncio.timeout(20):
            await until(lambda: handler.disconnects)
    assert handler.overflows == 1
