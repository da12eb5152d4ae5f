"""WebSocket of a gateway: any ASGI application over any asyncio transport.

It offers no compression: messages are short, and a compressor takes more memory than all else of a phone.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from crowdgame.server.serving.event_queue import DISCONNECT, Application, Disconnected, Event, EventQueue
from crowdgame.server.serving.frames import (
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
from crowdgame.server.serving.handshake import FAILED_RESPONSE, FORBIDDEN_RESPONSE, accept_response
from voting.gateway.connections import CONNECTION, MessageHandler
from voting.gateway.text_frames import encode_frame, read_short_text, text_frame

log = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 5  # an earlier reset could overtake the close code, which says when to retry
MAX_FRAMES_BEHIND, MAX_BEHIND_S = 64, 10.0
MAX_EARLY_BYTES = 4_096
MAX_REASON_BYTES = 123

# A failed one discards all that it still receives, so that no reset overtakes its close code.
CONNECTING, OPEN, CLOSING, FAILED, CLOSED = range(5)


class WebSocket(asyncio.Protocol):
    """One connection after its request head. `sockets` holds those that are open.

    The application is a task that receives and sends ASGI events, or attaches a handler and returns, see
    CONNECTION. `_task` is the application, or a message of the handler that has to wait; further messages
    wait in `_events`. `_frames` is None between frames. `_behind` is None unless the client reads too slowly,
    else how many times the handler has written since then: a slow consumer, over MAX_FRAMES_BEHIND or
    MAX_BEHIND_S behind, is cut off. Its client reconnects and gets a snapshot.
    """

    __slots__ = (
        *("_behind", "_early", "_events", "_frames", "_handler", "_key", "_loop"),
        *("_sockets", "_state", "_task", "_timer", "_transport", "_writable"),
    )

    def __init__(self, transport: asyncio.Transport, key: bytes, sockets: "set[WebSocket]") -> None:
        self._transport, self._key, self._sockets = transport, key, sockets
        self._loop = asyncio.get_running_loop()
        self._state, self._early = CONNECTING, b""
        self._events = EventQueue(transport)
        self._frames: FrameReader | None = None
        self._handler: MessageHandler | None = None
        self._task: asyncio.Task[None] | None = None
        self._writable: asyncio.Event | None = None
        self._behind: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, application: Application, scope: dict[str, Any], early: bytes) -> None:
        """Run the application. `early` are bytes that followed the request head."""
        scope["extensions"] = {CONNECTION: self}
        self._early = early
        self._sockets.add(self)
        self._run(application(scope, self.receive, self.send))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = self._loop.create_task(work)
        self._task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._task = None
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Disconnected):
            log.error("Exception in the application of a WebSocket", exc_info=error)
            self._end(INTERNAL_ERROR, "", FAILED_RESPONSE)
        elif self._handler is None and not task.cancelled():
            self._end(NORMAL_CLOSURE, "", FAILED_RESPONSE)
        while self._events and self._handler is not None and self._task is None:
            self._handle_event(self._events.take())

    def abort(self) -> None:
        self._transport.abort()
        if self._task is not None:
            self._task.cancel()

    # The application's side

    async def receive(self) -> Event:
        return await self._events.get()

    async def send(self, message: Any) -> None:
        """Handle an ASGI event. Waits while the client reads too slowly. Raises Disconnected."""
        kind = message["type"]
        if kind == "websocket.send":
            while self._behind is not None:
                self._writable = self._writable or asyncio.Event()
                await self._writable.wait()
            if self._state != OPEN:
                raise Disconnected
            text = message.get("text")
            frame = encode_frame(BINARY, message["bytes"]) if text is None else text_frame(text.encode())
            self._transport.write(frame)
        elif kind == "websocket.close":
            self._end(message.get("code") or NORMAL_CLOSURE, message.get("reason") or "", FORBIDDEN_RESPONSE)
        elif kind == "websocket.accept" and self._state == CONNECTING:
            self._accept(message)

    # The handler's side, see Connection

    @property
    def descriptor(self) -> int:
        return int(self._transport.get_extra_info("socket").fileno())

    def attach(self, handler: MessageHandler) -> None:
        self._handler = handler

    def write(self, wire: bytes) -> None:
        if self._state != OPEN:
            return
        if self._behind is not None:
            self._behind += 1
            if self._behind > MAX_FRAMES_BEHIND:
                self._cut_off()
                return
        self._transport.write(wire)

    def close(self, code: int) -> None:
        self._end(code, "", FORBIDDEN_RESPONSE)

    def _cut_off(self) -> None:
        if self._handler is not None and self._state == OPEN:
            self._state = CLOSING
            self._handler.handle_overflow()
            self._transport.abort()

    def _handle_event(self, event: Event) -> None:
        if event["type"] == "websocket.receive":
            text = event.get("text")
            self._call_handler(None if text is None else text.encode())
        elif event["type"] == DISCONNECT:
            self._detach()

    def _call_handler(self, text: bytes | None) -> None:
        """Let the handler handle a message. Its failure, which the event loop logs, ends the connection."""
        if self._handler is None or self._state == CLOSING:
            return
        try:
            rest = self._handler.handle_message(text)
        except BaseException:
            self._transport.abort()
            self._detach()
            raise
        if rest is not None:
            self._run(rest)

    def _detach(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None:
            handler.handle_disconnect()

    def _accept(self, message: Any) -> None:
        self._state = OPEN
        response = accept_response(self._key, message.get("subprotocol"), message.get("headers") or ())
        self._transport.write(response)
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
            else:
                self._receive_text(text)
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
            self._receive_text(payload)
        elif kind == BINARY:
            self._queue({"type": "websocket.receive", "bytes": payload})
        elif kind == PING and self._behind is None:
            self._transport.write(control_frame(PONG, payload))

    def _receive_text(self, text: bytes) -> None:
        try:
            decoded = None if text.isascii() else text.decode()
        except UnicodeDecodeError:
            self._fail(INVALID_DATA)
            return
        if self._handler is not None and self._task is None:
            self._call_handler(text)
        else:
            self._queue({"type": "websocket.receive", "text": decoded or text.decode()})

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
        if self._behind is not None:
            self._transport.abort()
        else:
            self._events.resume_reading()
            self._transport.write(control_frame(CLOSE, payload))
            self._set_timer(CLOSE_TIMEOUT_S, self._transport.abort)

    def _set_timer(self, within_s: float | None, then: Callable[[], None] | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if within_s is None or then is None else self._loop.call_later(within_s, then)

    def _queue(self, event: Event) -> None:
        if self._handler is not None and self._task is None:
            self._handle_event(event)
        else:
            self._events.put(event)

    def _disconnect(self, code: int) -> None:
        if not self._events.has_end():
            self._queue({"type": DISCONNECT, "code": code})

    def pause_writing(self) -> None:
        self._behind = 0
        if self._state == OPEN:
            self._set_timer(MAX_BEHIND_S, self._cut_off)

    def resume_writing(self) -> None:
        self._behind = None
        if self._state == OPEN:
            self._set_timer(None)
        if self._writable is not None:
            self._writable.set()
            self._writable = None

    def connection_lost(self, exc: Exception | None) -> None:
        is_reported = self._state == FAILED
        self._state = CLOSED
        self._sockets.discard(self)
        self.resume_writing()
        self._set_timer(None)
        if not is_reported:
            self._disconnect(ABNORMAL_CLOSURE)
