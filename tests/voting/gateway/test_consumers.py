"""WebSocket consumers called directly over ASGI, for cases that are too slow over the network."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from tests.voting.gateway_helpers import new_room, playing, until
from voting import protocol
from voting.admission.seats import Seat
from voting.gateway import hooks, socket
from voting.gateway.phone import PhoneConsumer
from voting.gateway.server_extensions import READ_TEXTS
from voting.gateway.socket import SocketConsumer
from voting.protocol import CloseCode, NicknameAnswered, NicknameAsk


class FakeConnection:
    """An ASGI connection with prepared incoming events; records the outgoing ones."""

    def __init__(self, *events: dict[str, Any]) -> None:
        self.sent: list[dict[str, Any]] = []
        self._events = asyncio.Queue[dict[str, Any]]()
        for event in ({"type": "websocket.connect"}, *events):
            self._events.put_nowait(event)

    async def receive(self) -> dict[str, Any]:
        return await self._events.get()

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)


async def run_consumer(application: Any, *events: dict[str, Any]) -> list[dict[str, Any]]:
    connection = FakeConnection(*events)
    async with asyncio.timeout(10):
        await application({"type": "websocket", "headers": []}, connection.receive, connection.send)
    return connection.sent


def received(text: str) -> dict[str, Any]:
    return {"type": "websocket.receive", "text": text}


@pytest.mark.parametrize("frames", [[], ["{}"]], ids=["silent", "malformed frame"])
def test_phone_that_does_not_join_in_time_is_closed(
    frames: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other frames do not extend the timeout."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.02)
    accepted, *answers, closed = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), *map(received, frames)))
    assert accepted == {"type": "websocket.accept"}
    assert ["malformed" in answer["text"] for answer in answers] == [True] * len(frames)
    assert closed == {"type": "websocket.close", "code": CloseCode.JOIN_TIMEOUT}


class Slow:
    """A gateway whose rooms never finish loading."""

    retry_ms = None

    async def room(self, _: str) -> None:
        await asyncio.Event().wait()


def test_busy_server_answers_join_with_retry_after(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the delay, all phones would reconnect at once and time out again."""
    monkeypatch.setattr(socket, "JOIN_TIMEOUT_S", 0.05)
    monkeypatch.setattr(socket, "gateway", Slow)
    join = '{"type": "phone.join", "code": "Q7RM"}'
    _, answer, closed = asyncio.run(run_consumer(PhoneConsumer.as_asgi(), received(join)))
    assert json.loads(answer["text"]) == {"type": "retry.after", "within_ms": 15_000}
    assert closed == {"type": "websocket.close", "code": CloseCode.CROWDED}


def test_disconnected_phone_receives_nothing_more() -> None:
    assert asyncio.run(run_consumer(PhoneConsumer.as_asgi(), {"type": "websocket.disconnect"})) == [
        {"type": "websocket.accept"}
    ]


# ------------------------------------------------------------------ messages read in the server's callback


def test_phone_chooses_nicknames_one_at_a_time_and_only_a_few_in_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str | None] = []

    async def answer(_event: int, _code: str, message: NicknameAsk, _now: int) -> NicknameAnswered:
        asked.append(message.name)
        return NicknameAnswered()

    async def ask() -> None:
        room, phone = new_room(1, 0, playing(1)), PhoneConsumer({}, FakeConnection().send)
        phone.voter = room.add_voter(phone, Seat(1, "a", 1))
        for number in range(20):
            for name in (f"first {number}", f"second {number}"):
                phone.handle_now(NicknameAsk(name=name), room)
            await asyncio.sleep(0)

    monkeypatch.setattr(hooks, "nickname_requests", [answer])
    asyncio.run(ask())
    assert asked == [f"first {number}" for number in range(10)]


class Probe(SocketConsumer):
    """Sends each message back."""

    kind: ClassVar = "phone"
    messages: ClassVar = protocol.PhoneMessage
    never_waits: ClassVar = True

    async def join(self, message: Any, room: Any) -> None:
        self.room = room

    def handle_now(self, message: Any, room: Any) -> None:
        self.send(message)


class WaitingProbe(Probe):
    """Never finishes a message that it handles."""

    never_waits: ClassVar = False

    async def handle_message(self, message: Any, room: Any) -> None:
        await asyncio.Event().wait()


class ReadyGateway:
    """A gateway that knows the time and has a room for each code."""

    retry_ms = None
    knows_time = True

    async def room(self, _: str) -> Any:
        return new_room(1, 1, playing(1))

    def now(self) -> int:
        return 7


@dataclass
class DirectConnection(FakeConnection):
    """A connection of a server with READ_TEXTS. `reader` is what the consumer has registered."""

    reader: Any = None

    def __post_init__(self) -> None:
        super().__init__(received('{"type":"phone.join","code":"Q7RM"}'))

    def register(self, reader: Any) -> None:
        self.reader = reader

    @property
    def texts(self) -> list[str]:
        return [message["text"] for message in self.sent if "text" in message]

    @asynccontextmanager
    async def joined(self, consumer: type[SocketConsumer]) -> AsyncIterator[None]:
        scope = {"type": "websocket", "headers": [], "extensions": {READ_TEXTS: self.register}}
        task = asyncio.create_task(consumer(scope, self.send).run(self.receive))
        await until(lambda: self.reader is not None)
        yield
        self.say({"type": "websocket.disconnect"})
        await asyncio.wait_for(task, 10)
        assert self.reader is None

    def say(self, event: dict[str, Any]) -> None:
        self._events.put_nowait(event)


CHEER, CLOCK = b'{"type":"cheer.send","presses":1}', b'{"type":"clock.ask","sent":5}'


def test_message_is_handled_at_once_while_consumer_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read() -> None:
        connection = DirectConnection()
        async with connection.joined(Probe):
            assert connection.reader(CHEER)
            assert connection.reader(CLOCK)
            assert connection.texts == [CHEER.decode(), '{"type":"clock.synced","sent":5.0,"now_at":7}']
            for left_to_the_usual_path in (b"{", b'{"type":"cheer.send","presses":1,"x":"\xff"}'):
                assert not connection.reader(left_to_the_usual_path)
            assert len(connection.texts) == 2

    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    asyncio.run(read())


def test_no_message_overtakes_one_that_is_being_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read() -> None:
        connection = DirectConnection()
        async with connection.joined(WaitingProbe):
            assert connection.reader(CLOCK)
            assert not connection.reader(CHEER)
            connection.say(received(CHEER.decode()))
            await asyncio.sleep(0)
            assert not connection.reader(CLOCK)
            raise Unfinished

    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    with pytest.raises(Unfinished):
        asyncio.run(read())


class Unfinished(Exception):
    """Leaves a consumer that waits forever."""


def test_flood_of_direct_messages_closes_the_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    async def read() -> list[dict[str, Any]]:
        connection = DirectConnection()
        async with connection.joined(Probe):
            while connection.reader(CHEER):
                assert len(connection.texts) <= socket.FRAME_BURST
            connection.say(received(CHEER.decode()))
            await until(lambda: connection.reader is None)
        return connection.sent

    monkeypatch.setattr(socket, "gateway", ReadyGateway)
    assert asyncio.run(read())[-1] == {"type": "websocket.close", "code": CloseCode.TOO_MANY_FRAMES}


# ------------------------------------------------------------------ close codes


def test_close_codes_from_4500_mean_no_reconnect() -> None:
    codes = {value for name, value in vars(CloseCode).items() if name.isupper()}
    assert all(4000 <= code < 5000 for code in codes)
    assert {code for code in codes if code >= 4500} == {
        CloseCode.BAD_FRAME,
        CloseCode.FRAME_TOO_LARGE,
        CloseCode.NO_SUCH_EVENT,
        CloseCode.BAD_TOKEN,
        CloseCode.NOT_ALLOWED,
        CloseCode.OPEN_ELSEWHERE,
        CloseCode.KICKED,
        CloseCode.BANNED,
    }
