"""What every socket does: first message in time, frames within limits, and a clock to ask.

It has its own receive loop: Channels' dispatch costs a thread hop a message.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar

import msgspec
from autobahn.exception import Disconnected
from django.db import OperationalError
from redis import RedisError

from games.engine.errors import GameError
from voting import protocol
from voting.gateway import Gateway, gateway
from voting.hub import Room
from voting.protocol import CloseCode
from voting.seats import Seat

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

JOIN_TIMEOUT_S = 10.0
FRAMES_AT_ONCE = 30
FRAMES_A_SECOND = 5.0


class CloseSocket(Exception):
    """Raised anywhere in a socket's conversation to end it."""

    def __init__(self, code: int) -> None:
        self.code = code


class SocketConsumer:
    """One WebSocket. A subclass says which messages it takes and what it does with them."""

    messages: ClassVar[Any]

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.seat: Seat | None = None
        self.room: Room | None = None
        self._send = send
        self._asked = False
        self._waits_in: Room | None = None
        self._frames_left = float(FRAMES_AT_ONCE)
        self._frame_at = time.monotonic()
        self._decode = _decoder(self.messages)

    @classmethod
    def as_asgi(cls) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            await cls(scope, send).converse(receive)

        return application

    async def converse(self, receive: Receive) -> None:
        """From the handshake to the disconnection."""
        await receive()
        await self._send({"type": "websocket.accept"})
        try:
            await self._listen(receive)
        except CloseSocket as end:
            await self._send({"type": "websocket.close", "code": end.code})
        finally:
            if self.room is not None:
                self.room.sockets.discard(self)
            if self._waits_in is not None:
                self._waits_in.sockets.discard(self)

    async def _listen(self, receive: Receive) -> None:
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                while not self._asked:
                    if not await self._take(await receive()):
                        return
        except TimeoutError:
            raise CloseSocket(CloseCode.JOIN_TIMEOUT) from None
        while await self._take(await receive()):
            pass

    async def _take(self, event: dict[str, Any]) -> bool:
        """Whether the conversation goes on."""
        if event["type"] == "websocket.disconnect":
            return False
        self._count_frame()
        message = self._read(event)
        if message is None:
            await self.tell(protocol.ErrorTold(code="malformed", text="see docs/protocol.md"))
        elif isinstance(message, protocol.ClockAsk):
            await self._know_time()
            await self.tell(protocol.ClockTold(sent=message.sent, now_at=gateway().now()))
        elif self.room is not None:
            await self.hear(message, self.room)
        else:
            await self._join(message)
        return True

    def _count_frame(self) -> None:
        now = time.monotonic()
        refill = (now - self._frame_at) * FRAMES_A_SECOND
        self._frames_left = min(float(FRAMES_AT_ONCE), self._frames_left + refill) - 1
        self._frame_at = now
        if self._frames_left < 0:
            raise CloseSocket(CloseCode.TOO_MANY_FRAMES)

    def _read(self, event: dict[str, Any]) -> Any | None:
        text = event.get("text")
        if text is None:
            raise CloseSocket(CloseCode.BAD_FRAME)
        if len(text.encode()) > protocol.MAX_FRAME_BYTES:
            raise CloseSocket(CloseCode.FRAME_TOO_LARGE)
        try:
            return self._decode(text)
        except (msgspec.DecodeError, RecursionError):
            return None

    async def _join(self, message: Any) -> None:
        if not hasattr(message, "code"):
            await self.tell(protocol.ErrorTold(code="not_joined", text="join first"))
            return
        self._asked = True
        try:
            room = await gateway().room(message.code)
            if room is None:
                raise CloseSocket(CloseCode.NO_SUCH_EVENT)
            await self.join(message, room, gateway())
        except (RedisError, OSError, OperationalError, GameError):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None

    async def _know_time(self) -> None:
        try:
            await gateway().know_time()
        except (RedisError, OSError):
            raise CloseSocket(CloseCode.UNAVAILABLE) from None

    def wait_in(self, room: Room) -> None:
        """Stay without a seat, to hear when there is one to be had."""
        self._waits_in = room
        room.sockets.add(self)

    async def enter(self, room: Room, welcome: Callable[[], msgspec.Struct]) -> None:
        """Take a place in the room and tell its state as of this moment."""
        self.room = room
        room.sockets.add(self)
        await self.tell(welcome())
        if room.turnout:
            await self.write(room.turnout)

    async def tell(self, message: msgspec.Struct) -> None:
        await self.write(msgspec.json.encode(message).decode())

    async def write(self, frame: str) -> None:
        """A socket that has just closed takes nothing more: its disconnection is on the way."""
        with suppress(Disconnected, OSError):
            await self._send({"type": "websocket.send", "text": frame})

    async def join(self, message: Any, room: Room, gateway: Gateway) -> None:
        """Answer the first message: `enter` the room, refuse, or raise CloseSocket."""
        raise NotImplementedError

    async def hear(self, message: Any, room: Room) -> None:
        """Answer a later message."""
        raise NotImplementedError


_decoders: dict[Any, Callable[[str], Any]] = {}


def _decoder(messages: Any) -> Callable[[str], Any]:
    return _decoders.setdefault(messages, msgspec.json.Decoder(messages).decode)
