"""WebSocket consumer base class: join timeout, frame size and rate limits, clock synchronization.

It has its own receive loop, because Channels' dispatch costs a thread hop for each message.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, ClassVar

import msgspec
from prometheus_client import Gauge
from redis import RedisError

from games.engine.errors import GameError
from voting import protocol
from voting.admission.seats import Seat
from voting.ballot_box.stores import STORE_ERRORS
from voting.gateway.admission_queue import FULL_RETRY_MS, RetryLater
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway, gateway
from voting.gateway.send_queue import Send, SendQueue
from voting.gateway.server_extensions import READ_TEXTS, WRITE_FRAMES, ReadText, RegisterReader
from voting.metrics.metrics import CONNECTIONS, JOINS, SLOW_CONSUMERS
from voting.protocol import CloseCode

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]

JOIN_TIMEOUT_S = 10.0
FRAME_BURST = 30
FRAMES_PER_SECOND = 5.0
FRAME_COST_BEFORE_JOIN = 3
MALFORMED = protocol.Error(code="malformed", text="malformed message, see docs/protocol.md")

_encode = msgspec.json.Encoder().encode


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket connection: to an unknown path, or from another origin."""
    await receive()
    await send({"type": "websocket.close"})


async def refuse_crowded(_scope: Scope, receive: Receive, send: Send) -> None:
    """Accept a WebSocket connection and close it with CROWDED and a time to retry."""
    await receive()
    await send({"type": "websocket.accept"})
    JOINS.labels("crowded").inc()
    send_queue = SendQueue(send, _count_slow_consumer, None)
    send_queue.end(CloseCode.CROWDED, FULL_RETRY_MS)
    await send_queue.wait_closed()


class CloseSocket(Exception):
    """Ends the connection with a close code. `within_ms` is the time to reconnect within, if any."""

    def __init__(self, code: int, within_ms: int | None = None) -> None:
        self.code = code
        self.within_ms = within_ms


class SocketConsumer:
    """One WebSocket connection.

    A subclass sets `kind`, a metrics label, and `messages`, the union of message types it accepts. It
    implements `join` and `handle_message`, or `handle_now` instead if `never_waits`.
    """

    kind: ClassVar[str]
    messages: ClassVar[Any]
    never_waits: ClassVar[bool] = False

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.seat: Seat | None = None
        self.room: EventRoom | None = None
        extensions = scope.get("extensions", {})
        self._register_reader: RegisterReader = extensions.get(READ_TEXTS, _register_nothing)
        self._send_queue = SendQueue(send, _count_slow_consumer, extensions.get(WRITE_FRAMES))
        self.write, self.write_frames = self._send_queue.write, self._send_queue.write_frames
        self.end = self._send_queue.end
        self._send = send
        self._has_joined = self._is_idle = False
        self._waiting_in: EventRoom | None = None
        self._frames_until = 0.0
        self._decode = _decoder(self.messages)

    @classmethod
    def as_asgi(cls) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        """Return an ASGI application that creates one consumer for each connection."""

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            await cls(scope, send).run(receive)

        return application

    async def run(self, receive: Receive) -> None:
        """Serve the connection from the handshake to the disconnect, then leave the room."""
        await receive()
        await self._send({"type": "websocket.accept"})
        connections = _connection_gauge(self.kind)
        connections.inc()
        try:
            await self._receive_loop(receive)
        except CloseSocket as end:
            self.end(end.code, end.within_ms)
            await self._send_queue.wait_closed()
        finally:
            self._register_reader(None)
            connections.dec()
            for room in (self.room, self._waiting_in):
                if room is not None:
                    room.leave(self, self.seat)

    async def _receive_loop(self, receive: Receive) -> None:
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                while not self._has_joined:
                    if not await self._handle_event(await receive()):
                        return
        except TimeoutError:
            if not self._has_joined:
                raise CloseSocket(CloseCode.JOIN_TIMEOUT) from None
            JOINS.labels("crowded").inc()
            raise CloseSocket(CloseCode.CROWDED, FULL_RETRY_MS) from None
        self._register_reader(self._read_now)
        is_open = True
        while is_open:
            self._is_idle = True
            event = await receive()
            self._is_idle = False
            is_open = await self._handle_event(event)

    def _read_now(self, text: bytes) -> bool:
        """Handle a message at once, if that never waits. Returns False and does nothing otherwise.

        A server calls this instead of queueing an event. Messages that close the socket take the usual path.
        """
        if not (self._is_idle and self.room is not None and text.isascii()):
            return False
        try:
            message = self._decode(text)
            is_clock = isinstance(message, protocol.ClockAsk)
            if not (gateway().knows_time if is_clock else self.never_waits):
                return False
            self._limit_rate()
        except (msgspec.DecodeError, RecursionError, CloseSocket):
            return False
        if is_clock:
            self._answer_clock(message)
        else:
            self.handle_now(message, self.room)
        return True

    async def _handle_event(self, event: dict[str, Any]) -> bool:
        """Handle an ASGI event. Returns False after a disconnect. Raises CloseSocket."""
        if event["type"] == "websocket.disconnect":
            self._send_queue.abort()
            return False
        self._limit_rate()
        message = self._read(event)
        if message is None:
            self.send(MALFORMED)
        elif isinstance(message, protocol.ClockAsk):
            await self._sync_time()
            self._answer_clock(message)
        else:
            await self.dispatch(message)
        return True

    async def dispatch(self, message: Any) -> None:
        """Handle a message that is not common to all sockets: join first, then `handle_message`."""
        if self.room is not None:
            await self.handle_message(message, self.room)
        else:
            await self._join(message)

    def _answer_clock(self, message: protocol.ClockAsk) -> None:
        self.send(protocol.ClockSynced(sent=message.sent, now_at=gateway().now()))

    def _limit_rate(self) -> None:
        """Token-bucket rate limit: FRAMES_PER_SECOND with bursts of FRAME_BURST. Raises CloseSocket.

        Until the client has joined, a frame counts as FRAME_COST_BEFORE_JOIN frames.
        """
        now, cost = time.monotonic(), FRAME_COST_BEFORE_JOIN if self.room is None else 1
        self._frames_until = max(self._frames_until, now) + cost / FRAMES_PER_SECOND
        if self._frames_until > now + FRAME_BURST / FRAMES_PER_SECOND:
            raise CloseSocket(CloseCode.TOO_MANY_FRAMES)

    def _read(self, event: dict[str, Any]) -> Any | None:
        """Decode a frame; None if malformed. Raises CloseSocket if it is binary or too large."""
        text = event.get("text")
        if text is None:
            raise CloseSocket(CloseCode.BAD_FRAME)
        if _byte_length(text) > protocol.MAX_FRAME_BYTES:
            raise CloseSocket(CloseCode.FRAME_TOO_LARGE)
        try:
            return self._decode(text)
        except (msgspec.DecodeError, RecursionError):
            return None

    async def _join(self, message: Any) -> None:
        if not hasattr(message, "code"):
            self.send(protocol.Error(code="not_joined", text="join first"))
            return
        active_gateway = self.active_gateway()
        try:
            room = await active_gateway.room(message.code)
            if room is None:
                raise CloseSocket(CloseCode.NO_SUCH_EVENT)
            await self.join(message, room)
        except RetryLater as crowded:
            JOINS.labels("crowded").inc()
            raise CloseSocket(CloseCode.CROWDED, crowded.within_ms) from None
        except (GameError, *STORE_ERRORS):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None

    def active_gateway(self) -> Gateway:
        """Mark the first message as received and return the gateway. Raises CloseSocket while it drains."""
        self._has_joined = True
        active_gateway = gateway()
        if active_gateway.retry_ms is not None:
            raise CloseSocket(CloseCode.RESTARTING, active_gateway.retry_ms)
        return active_gateway

    async def _sync_time(self) -> None:
        """Make sure that the ballot box's time is known. Raises CloseSocket (UNAVAILABLE)."""
        try:
            await gateway().sync_time()
        except (RedisError, OSError):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None

    def wait_unseated(self, room: EventRoom) -> None:
        """Keep the socket in the room without a seat, so that it receives changes and can join later."""
        self._waiting_in = room
        room.sockets.add_unseated(self)

    def enter_room(self, room: EventRoom, welcome: msgspec.Struct) -> None:
        """Put the socket into the room and send the welcome, which holds the room's state at this moment."""
        self.room = room
        self.send(welcome)
        if room.seal:
            self.write_frames(room.seal)
        if room.last_sent.turnout and (self.kind != "phone" or room.phones_show_turnout):
            self.write(room.last_sent.turnout)

    def send(self, message: msgspec.Struct) -> None:
        """Encode a message and queue it."""
        self._send_queue.write_encoded(_encode(message))

    async def join(self, message: Any, room: EventRoom) -> None:
        """Handle the first message: call `enter_room`, send an Error, or raise CloseSocket or RetryLater."""
        raise NotImplementedError

    async def handle_message(self, message: Any, room: EventRoom) -> None:
        """Handle a message after the join."""
        self.handle_now(message, room)

    def handle_now(self, message: Any, room: EventRoom) -> None:
        """Handle a message after the join, without waiting for anything."""
        raise NotImplementedError


def _register_nothing(_read: ReadText | None) -> None:
    """The server has no fast path: all messages come through `receive`."""


def _count_slow_consumer() -> None:
    SLOW_CONSUMERS.inc()
    gateway().slow_consumers += 1


@cache
def _decoder(messages: Any) -> Callable[[str | bytes], Any]:
    return msgspec.json.Decoder(messages).decode


@cache
def _connection_gauge(kind: str) -> Gauge:
    return CONNECTIONS.labels(kind)


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
