"""WebSocket of a gateway: any ASGI application over any asyncio transport.

It offers no compression: messages are short, and a compressor takes more memory than all else of a phone.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from crowdgame.serving.frames import (
    ABNORMAL_CLOSURE,
    BINARY,
    CLOSE,
    INTERNAL_ERROR,
    INVALID_DATA,
    NORMAL_CLOSURE,
    PING,
    PONG,
    TEXT,
    FrameError,
    FrameReader,
    control_frame,
    read_close_code,
)
from crowdgame.serving.handshake import FAILED_RESPONSE, FORBIDDEN_RESPONSE, accept_response
from voting.gateway.send_queue import encode_frame, encode_text_frame, read_short_text
from voting.gateway.server_extensions import DESCRIPTOR, READ_TEXTS, WRITE_FRAMES, ReadText

log = logging.getLogger(__name__)

Application = Callable[[dict[str, Any], Any, Any], Coroutine[Any, Any, None]]
CLOSE_TIMEOUT_S = 5  # an earlier reset could overtake the close code, which says when to retry
MAX_QUEUED_MESSAGES = 16
MAX_EARLY_BYTES = 4_096
MAX_REASON_BYTES = 123

# A failed one discards all that it still receives, so that no reset overtakes its close code.
CONNECTING, OPEN, CLOSING, FAILED, CLOSED = range(5)


class Disconnected(ConnectionError):
    """The WebSocket is closed, so nothing can be sent."""


class WebSocket(asyncio.Protocol):
    """One connection after its request head. `sockets` holds those whose application runs.

    A short text that arrives alone takes a path of its own: the application's reader, see READ_TEXTS, gets
    it without a task being woken. `_frames` is None between frames. `_writable` is None unless the client
    reads too slowly. Reading stops while MAX_QUEUED_MESSAGES wait for the application.
    """

    __slots__ = (
        *("_early", "_events", "_frames", "_is_reading_paused", "_key", "_loop", "_reader", "_sockets"),
        *("_state", "_task", "_timer", "_transport", "_waiter", "_writable"),
    )

    def __init__(self, transport: asyncio.Transport, key: bytes, sockets: "set[WebSocket]") -> None:
        self._transport, self._key, self._sockets = transport, key, sockets
        self._loop = asyncio.get_running_loop()
        self._state, self._early, self._is_reading_paused = CONNECTING, b"", False
        self._events: list[dict[str, Any]] = [{"type": "websocket.connect"}]
        self._frames: FrameReader | None = None
        self._reader: ReadText | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._writable: asyncio.Event | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, application: Application, scope: dict[str, Any], early: bytes) -> None:
        """Run the application. `early` are bytes that followed the request head."""
        scope["extensions"] = {
            WRITE_FRAMES: self.write_frames,
            READ_TEXTS: self.register_reader,
            DESCRIPTOR: self._transport.get_extra_info("socket").fileno(),
        }
        self._early = early
        self._sockets.add(self)
        self._task = self._loop.create_task(application(scope, self.receive, self.send))
        self._task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._reader = None
        self._sockets.discard(self)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._end(NORMAL_CLOSURE, "", FAILED_RESPONSE)
        elif not isinstance(error, Disconnected):
            log.error("Exception in the application of a WebSocket", exc_info=error)
            self._end(INTERNAL_ERROR, "", FAILED_RESPONSE)

    def abort(self) -> None:
        self._transport.abort()
        self._task.cancel()

    # The application's side

    async def receive(self) -> dict[str, Any]:
        if not self._events:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.pop(0)
        if not self._events:
            self._resume_reading()
        return event

    async def send(self, message: Any) -> None:
        """Handle an ASGI event. Waits while the client reads too slowly. Raises Disconnected."""
        kind = message["type"]
        if kind == "websocket.send":
            while self._writable is not None:
                await self._writable.wait()
            if self._state != OPEN:
                raise Disconnected
            text = message.get("text")
            is_text = text is not None
            self._transport.write(
                encode_text_frame(text.encode()) if is_text else encode_frame(BINARY, message["bytes"])
            )
        elif kind == "websocket.close":
            self._end(message.get("code") or NORMAL_CLOSURE, message.get("reason") or "", FORBIDDEN_RESPONSE)
        elif kind == "websocket.accept" and self._state == CONNECTING:
            self._accept(message)

    def write_frames(self, wire: bytes) -> bool:
        """Write prebuilt text frames, unless the client reads too slowly or the socket is closing."""
        if self._state != OPEN or self._writable is not None:
            return False
        self._transport.write(wire)
        return True

    def register_reader(self, reader: ReadText | None) -> None:
        self._reader = reader

    def _accept(self, message: Any) -> None:
        self._state = OPEN
        self._transport.write(
            accept_response(self._key, message.get("subprotocol"), message.get("headers") or ())
        )
        early, self._early, self._key = self._early, b"", b""
        if early:
            self._transport.resume_reading()
            self.data_received(early)

    def _end(self, code: int, reason: str, refusal: bytes) -> None:
        """Close the connection. Before the handshake is accepted, respond with `refusal` instead."""
        if self._state == CONNECTING:
            self._state = FAILED
            self._transport.write(refusal)
            self._transport.close()
        elif self._state == OPEN:
            self._write_close(CLOSING, code.to_bytes(2, "big") + reason.encode()[:MAX_REASON_BYTES])

    # The client's side

    def data_received(self, data: bytes) -> None:
        if self._state == OPEN:
            text = read_short_text(data) if self._frames is None else None
            if text is None:
                self._read_frames(data)
            elif self._reader is None or self._events or not self._reader(text):
                self._queue_text(text)
        elif self._state == CLOSING:
            self._read_frames(data)
        elif self._state == CONNECTING:
            self._early += data
            if len(self._early) > MAX_EARLY_BYTES:
                self._transport.pause_reading()

    def _read_frames(self, data: bytes) -> None:
        frames = self._frames = self._frames or FrameReader()
        try:
            for kind, payload in frames.read(data):
                self._handle(kind, payload)
                if self._state >= FAILED:
                    return
        except FrameError as error:
            self._fail(error.code)
        else:
            if frames.is_between_messages:
                self._frames = None

    def _handle(self, kind: int, payload: bytes) -> None:
        """Handle a message or control frame. Raises FrameError."""
        if kind == CLOSE:
            code = read_close_code(payload)
            if self._state == OPEN:
                self._write_close(CLOSING, payload[:2])
            self._state = FAILED
            self._disconnect(code)
            self._transport.close()
        elif self._state != OPEN:
            return
        elif kind == TEXT:
            self._queue_text(payload)
        elif kind == BINARY:
            self._queue({"type": "websocket.receive", "bytes": payload})
        elif kind == PING and self._writable is None:
            self._transport.write(control_frame(PONG, payload))

    def _queue_text(self, text: bytes) -> None:
        try:
            self._queue({"type": "websocket.receive", "text": text.decode()})
        except UnicodeDecodeError:
            self._fail(INVALID_DATA)

    def _fail(self, code: int) -> None:
        if self._state == OPEN:
            self._write_close(FAILED, code.to_bytes(2, "big"))
        self._state = FAILED
        self._disconnect(code)
        if not self._transport.is_closing():
            self._transport.write_eof()

    def _write_close(self, state: int, payload: bytes) -> None:
        """Send a close frame, which a slow consumer would not read: it is cut off."""
        self._state = state
        if self._writable is not None:
            self._transport.abort()
        else:
            self._resume_reading()
            self._transport.write(control_frame(CLOSE, payload))
            self._timer = self._loop.call_later(CLOSE_TIMEOUT_S, self._transport.abort)

    def _queue(self, event: dict[str, Any]) -> None:
        self._events.append(event)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if len(self._events) >= MAX_QUEUED_MESSAGES and not self._is_reading_paused:
            self._is_reading_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._is_reading_paused:
            self._is_reading_paused = False
            self._transport.resume_reading()

    def _disconnect(self, code: int) -> None:
        if not (self._events and self._events[-1]["type"] == "websocket.disconnect"):
            self._queue({"type": "websocket.disconnect", "code": code})

    def pause_writing(self) -> None:
        self._writable = self._writable or asyncio.Event()

    def resume_writing(self) -> None:
        if self._writable is not None:
            self._writable.set()
            self._writable = None

    def connection_lost(self, exc: Exception | None) -> None:
        is_reported = self._state == FAILED
        self._state = CLOSED
        self.resume_writing()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not is_reported:
            self._disconnect(ABNORMAL_CLOSURE)
