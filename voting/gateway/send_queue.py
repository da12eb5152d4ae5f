"""The way out to one client: what is written comes in order, and nobody ever waits for a slow reader."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import coroutine
from typing import Any

import msgspec
from autobahn.exception import Disconnected

from voting.protocol import CloseCode, RetryTold

Send = Callable[[dict[str, Any]], Awaitable[None]]

BEHIND_AT_MOST = 64
CAUGHT_UP_WITHIN_S = 10.0
# uvicorn tells with a RuntimeError that it has closed the socket by itself.
GONE = (OSError, Disconnected, RuntimeError)


class Line:
    """`send` is the server's. It waits while the client reads too slowly; a task then waits in our place.

    Who is too many frames or seconds behind is told TOO_SLOW and comes back by snapshot; `gave_up` hears
    of it. After a close nothing more is sent.
    """

    __slots__ = ("_behind", "_ended", "_gave_up", "_late", "_send")

    def __init__(self, send: Send, gave_up: Callable[[], None]) -> None:
        self._send = send
        self._gave_up = gave_up
        self._behind: list[dict[str, Any]] = []
        self._late: asyncio.Task[None] | None = None
        self._ended = False

    def write(self, frame: str) -> None:
        if self._late is None and not self._ended:
            self._pass_on({"type": "websocket.send", "text": frame})
        elif not self._ended:
            self._behind.append({"type": "websocket.send", "text": frame})
            if len(self._behind) > BEHIND_AT_MOST:
                self._give_up()

    def end(self, code: int, within_ms: int | None = None) -> None:
        """Close it, once what was written is sent; a goodbye says when to come back."""
        if self._ended:
            return
        if within_ms is not None:
            self.write(msgspec.json.encode(RetryTold(within_ms=within_ms)).decode())
        close = {"type": "websocket.close", "code": code}
        if self._late is not None:
            self._behind.append(close)
        elif not self._ended:
            self._pass_on(close)
        self._ended = True

    def hang_up(self) -> None:
        """The client is gone, or as good as gone."""
        self._ended = True
        self._behind.clear()

    async def closed(self) -> None:
        """Return once all that was written is sent, or nobody is there to take it."""
        self._ended = True
        if self._late is not None:
            await asyncio.wait([self._late])

    def _pass_on(self, message: dict[str, Any]) -> None:
        sending: Any = self._send(message)
        try:
            awaited = sending.send(None)
        except StopIteration:
            return
        except GONE:  # its disconnection is on the way
            self._ended = True
            return
        self._late = asyncio.create_task(self._catch_up(_finish(sending, awaited)))

    async def _catch_up(self, first: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(CAUGHT_UP_WITHIN_S):
                await first
                while self._behind:
                    await self._send(self._behind.pop(0))
        except TimeoutError:
            self._give_up()
        except GONE:
            self._ended = True
        else:
            self._late = None

    def _give_up(self) -> None:
        self._gave_up()
        self._ended = True
        self._behind.clear()
        late = self._late
        self._late = asyncio.create_task(self._close_anyway())
        if late is not None and late is not asyncio.current_task():
            late.cancel()

    async def _close_anyway(self) -> None:
        try:
            await self._send({"type": "websocket.close", "code": CloseCode.TOO_SLOW})
        except GONE:
            return


@coroutine
def _finish(sending: Any, awaited: Any) -> Generator[Any, Any, None]:
    """Go on with a coroutine that was begun, from what it waits for."""
    try:
        yield awaited
        yield from sending
    finally:
        sending.close()
