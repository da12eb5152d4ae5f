"""WebSocket consumer base class: join timeout, frame size and rate limits, clock synchronization.

It is called by the server for each message and has no task, because Channels' dispatch costs a thread hop for
each message and a task costs more memory than all else of a phone.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
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
from voting.gateway.connections import CONNECTION, Connection
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway, gateway
from voting.gateway.text_frames import encode
from voting.metrics.metrics import CONNECTIONS, JOINS, SLOW_CONSUMERS, count_refusal
from voting.protocol import CloseCode, RetryAfter

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Handling = Coroutine[Any, Any, None]

JOIN_TIMEOUT_S = 10.0
FRAME_BURST = 30
FRAMES_PER_SECOND = 5.0
FRAME_COST_BEFORE_JOIN = 3
MALFORMED = protocol.Error(code="malformed", text="malformed message, see docs/protocol.md")


async def refuse_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket connection: to an unknown path, or from another origin."""
    await receive()
    await send({"type": "websocket.close"})


async def refuse_crowded(scope: Scope, receive: Receive, send: Send) -> None:
    """Accept a WebSocket connection and close it with CROWDED and a time to retry."""
    await receive()
    await send({"type": "websocket.accept"})
    JOINS.labels("crowded").inc()
    connection: Connection = scope["extensions"][CONNECTION]
    connection.write(encode(RetryAfter(within_ms=FULL_RETRY_MS)))
    connection.close(CloseCode.CROWDED)


class CloseSocket(Exception):
    """Ends the connection with a close code. `within_ms` is the time to reconnect within, if any."""

    def __init__(self, code: int, within_ms: int | None = None) -> None:
        self.code = code
        self.within_ms = within_ms


class SocketConsumer:
    """One WebSocket connection: a MessageHandler.

    A subclass sets `kind`, a metrics label, and `messages`, the union of message types it accepts. It
    implements `join` and `handle_joined`, and `leave` if it has anything to clean up.
    """

    kind: ClassVar[str]
    messages: ClassVar[Any]
    seat: Seat | None = None
    room: EventRoom | None = None
    _waiting_in: EventRoom | None = None
    _join_timer: asyncio.TimerHandle | None = None
    _frames_until = 0.0

    def __init__(self, scope: Scope) -> None:
        self._connection: Connection = scope["extensions"][CONNECTION]

    @classmethod
    def as_asgi(cls) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        """Return an ASGI application that creates one consumer for each connection."""

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            consumer = cls(scope)
            await receive()
            await send({"type": "websocket.accept"})
            consumer.begin()

        return application

    def begin(self) -> None:
        """Serve the accepted connection until it is disconnected."""
        _connection_gauge(self.kind).inc()
        self._join_timer = asyncio.get_running_loop().call_later(
            JOIN_TIMEOUT_S, self.end, CloseCode.JOIN_TIMEOUT
        )
        self._connection.attach(self)

    def handle_disconnect(self) -> None:
        _connection_gauge(self.kind).dec()
        self._stop_join_timer()
        self.leave()

    def handle_overflow(self) -> None:
        SLOW_CONSUMERS.inc()
        gateway().slow_consumers += 1

    def leave(self) -> None:
        """Leave the room: the socket is closed, or will be. Idempotent."""
        for room in (self.room, self._waiting_in):
            if room is not None:
                room.leave(self, self.seat)

    def handle_message(self, text: bytes | None) -> Handling | None:
        try:
            waiting = self._handle(text)
        except CloseSocket as end:
            self._close(end)
            return None
        return self._finish(waiting) if waiting else None

    async def _finish(self, handling: Handling) -> None:
        try:
            await handling
        except CloseSocket as end:
            self._close(end)

    def _close(self, end: CloseSocket) -> None:
        self.end(end.code, end.within_ms)
        self.leave()

    def _handle(self, text: bytes | None) -> Handling | None:
        """Handle a message. Returns what is left to do if it has to wait. Raises CloseSocket."""
        self._limit_rate()
        if text is None:
            raise CloseSocket(CloseCode.BAD_FRAME)
        try:
            message = _decoder(self.messages)(text)
        except (msgspec.DecodeError, RecursionError):
            self.send(MALFORMED)
            return None
        if isinstance(message, protocol.ClockAsk):
            return self._handle_clock(message)
        return self.dispatch(message)

    def dispatch(self, message: Any) -> Handling | None:
        """Handle a message that is not common to all sockets: join first, then `handle_joined`."""
        if self.room is not None:
            return self.handle_joined(message, self.room)
        if not hasattr(message, "code"):
            self.send(protocol.Error(code="not_joined", text="join first"))
            return None
        return self._join(message, self.active_gateway())

    def _handle_clock(self, message: protocol.ClockAsk) -> Handling | None:
        if not gateway().knows_time:
            return self._sync_clock(message)
        self.send(protocol.ClockSynced(sent=message.sent, now_at=gateway().now()))
        return None

    async def _sync_clock(self, message: protocol.ClockAsk) -> None:
        """Answer once the ballot box's time is known. Raises CloseSocket (UNAVAILABLE)."""
        try:
            await gateway().sync_time()
        except (RedisError, OSError):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None
        self.send(protocol.ClockSynced(sent=message.sent, now_at=gateway().now()))

    def _limit_rate(self) -> None:
        """Token-bucket rate limit: FRAMES_PER_SECOND with bursts of FRAME_BURST. Raises CloseSocket.

        Until the client has joined, a frame counts as FRAME_COST_BEFORE_JOIN frames.
        """
        now, cost = time.monotonic(), FRAME_COST_BEFORE_JOIN if self.room is None else 1
        self._frames_until = max(self._frames_until, now) + cost / FRAMES_PER_SECOND
        if self._frames_until > now + FRAME_BURST / FRAMES_PER_SECOND:
            count_refusal("frame")
            raise CloseSocket(CloseCode.TOO_MANY_FRAMES)

    async def _join(self, message: Any, active_gateway: Gateway) -> None:
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                await self._enter(message, active_gateway)
        except TimeoutError:
            raise self._crowded(FULL_RETRY_MS) from None
        except RetryLater as later:
            raise self._crowded(later.within_ms) from None

    async def _enter(self, message: Any, active_gateway: Gateway) -> None:
        try:
            room = await active_gateway.room(message.code)
            if room is None:
                raise CloseSocket(CloseCode.NO_SUCH_EVENT)
            await self.join(message, room)
        except (GameError, *STORE_ERRORS):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None

    @staticmethod
    def _crowded(within_ms: int) -> CloseSocket:
        JOINS.labels("crowded").inc()
        return CloseSocket(CloseCode.CROWDED, within_ms)

    def active_gateway(self) -> Gateway:
        """Mark the first message as received and return the gateway. Raises CloseSocket while it drains."""
        self._stop_join_timer()
        active_gateway = gateway()
        if active_gateway.retry_ms is not None:
            raise CloseSocket(CloseCode.RESTARTING, active_gateway.retry_ms)
        return active_gateway

    def _stop_join_timer(self) -> None:
        if self._join_timer is not None:
            self._join_timer.cancel()
            self._join_timer = None

    def wait_unseated(self, room: EventRoom) -> None:
        """Keep the socket in the room without a seat, so that it receives changes and can join later."""
        self._waiting_in = room
        room.sockets.add_unseated(self)

    def enter_room(self, room: EventRoom, welcome: msgspec.Struct) -> None:
        """Put the socket into the room and send the welcome, which holds the room's state at this moment."""
        self.room = room
        self.send(welcome)
        if room.seal:
            self.write(room.seal)
        if room.last_sent.turnout and (self.kind != "phone" or room.phones_show_turnout):
            self.write(room.last_sent.turnout)

    def send(self, message: msgspec.Struct) -> None:
        """Encode a message and write it."""
        self._connection.write(encode(message))

    def write(self, wire: bytes) -> None:
        """Write encoded frames."""
        self._connection.write(wire)

    def end(self, code: int, within_ms: int | None = None) -> None:
        """Close the connection with `code`. With `within_ms` send RetryAfter first."""
        if within_ms is not None:
            self.send(RetryAfter(within_ms=within_ms))
        self._connection.close(code)

    async def join(self, message: Any, room: EventRoom) -> None:
        """Handle the first message: call `enter_room`, send an Error, or raise CloseSocket or RetryLater."""
        raise NotImplementedError

    def handle_joined(self, message: Any, room: EventRoom) -> Handling | None:
        """Handle a message after the join. Returns what is left to do if it has to wait."""
        raise NotImplementedError


@cache
def _decoder(messages: Any) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(messages).decode


@cache
def _connection_gauge(kind: str) -> Gauge:
    return CONNECTIONS.labels(kind)
