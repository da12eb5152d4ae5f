"""ASGI's side of a WebSocket: its application, and the events that this hasn't received yet."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Event = dict[str, Any]
Application = Callable[[dict[str, Any], Any, Any], Coroutine[Any, Any, None]]
MAX_QUEUED_MESSAGES = 16
DISCONNECT = "websocket.disconnect"


class Disconnected(ConnectionError):
    """The WebSocket is closed, so nothing can be sent."""


class EventQueue:
    """The events in order. Reading from the transport stops at MAX_QUEUED_MESSAGES until all are taken."""

    __slots__ = ("_events", "_is_reading_paused", "_transport", "_waiter")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._events: list[Event] = [{"type": "websocket.connect"}]
        self._is_reading_paused = False
        self._waiter: asyncio.Future[None] | None = None

    def __bool__(self) -> bool:
        return bool(self._events)

    async def get(self) -> Event:
        if not self._events:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self.take()

    def take(self) -> Event:
        """Raises IndexError."""
        event = self._events.pop(0)
        if not self._events:
            self.resume_reading()
        return event

    def put(self, event: Event) -> None:
        self._events.append(event)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if len(self._events) >= MAX_QUEUED_MESSAGES and not self._is_reading_paused:
            self._is_reading_paused = True
            self._transport.pause_reading()

    def has_end(self) -> bool:
        """Whether the last event says that the WebSocket is disconnected."""
        return bool(self._events) and self._events[-1]["type"] == DISCONNECT

    def resume_reading(self) -> None:
        if self._is_reading_paused:
            self._is_reading_paused = False
            self._transport.resume_reading()
