"""WebSocket text frames without a server's general code, and the queue that sends them to one socket.

Messages to many sockets are prebuilt as frames, so that each is encoded once. The queue keeps frames in order
and closes slow consumers (backpressure). `read_short_text` suffices for almost all messages from phones.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from types import coroutine
from typing import Any

import msgspec

from voting.gateway.server_extensions import WriteFrames
from voting.protocol import CloseCode, RetryAfter

Send = Callable[[dict[str, Any]], Awaitable[None]]

MAX_QUEUED_FRAMES = 64
DRAIN_TIMEOUT_S = 10.0

FINAL, TEXT = 0x80, 1
FINAL_TEXT_FRAME, MASK_BIT = FINAL | TEXT, 0x80
SHORT_HEADER_BYTES = 6
SHORT_PAYLOAD_LIMIT = 126
LARGE_PAYLOAD_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """One or more text messages in order. `wire` holds their unmasked text frames (RFC 6455)."""

    texts: tuple[str, ...]
    wire: bytes

    def __add__(self, later: "Frames") -> "Frames":
        return Frames(self.texts + later.texts, self.wire + later.wire)


def text_frame(text: str) -> Frames:
    return Frames((text,), encode_text_frame(text.encode()))


def encode_text_frame(payload: bytes) -> bytes:
    return encode_frame(TEXT, payload)


def encode_frame(kind: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < SHORT_PAYLOAD_LIMIT:
        return bytes((FINAL | kind, size)) + payload
    if size < LARGE_PAYLOAD_LIMIT:
        return bytes((FINAL | kind, SHORT_PAYLOAD_LIMIT)) + size.to_bytes(2, "big") + payload
    return bytes((FINAL | kind, SHORT_PAYLOAD_LIMIT + 1)) + size.to_bytes(8, "big") + payload


def read_short_text(data: bytes) -> bytes | None:
    """Return the unmasked payload if `data` is exactly one unfragmented text frame below 126 bytes.

    Returns None for all other data. The caller makes sure that `data` begins with a frame.
    """
    size = len(data) - SHORT_HEADER_BYTES
    if not (0 <= size < SHORT_PAYLOAD_LIMIT and data[0] == FINAL_TEXT_FRAME and data[1] == MASK_BIT | size):
        return None
    return unmask(data[SHORT_HEADER_BYTES:], data[2:SHORT_HEADER_BYTES])


def unmask(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")


class SendQueue:
    """Writes frames with the server's `send`. If `send` blocks, frames are queued and a task sends them.

    Prebuilt frames and encoded messages skip `send`: while nothing is queued, `write_now` writes them to the
    transport.

    A slow consumer, more than MAX_QUEUED_FRAMES or DRAIN_TIMEOUT_S behind, is closed with TOO_SLOW, and
    `on_overflow` is called. The client then reconnects and gets a snapshot. Nothing is sent after a close.
    No method raises for a client that is gone.
    """

    __slots__ = ("_drain_task", "_ended", "_on_overflow", "_queued", "_send", "_write_now")

    def __init__(
        self, send: Send, on_overflow: Callable[[], None], write_now: WriteFrames | None = None
    ) -> None:
        self._send = send
        self._write_now = write_now
        self._on_overflow = on_overflow
        self._queued: list[dict[str, Any]] = []
        self._drain_task: asyncio.Task[None] | None = None
        self._ended = False

    def write(self, frame: str) -> None:
        """Send a text frame, or queue it behind earlier ones. Never blocks. Ignored after a close."""
        if self._drain_task is None and not self._ended:
            self._start_send({"type": "websocket.send", "text": frame})
        elif not self._ended:
            self._queued.append({"type": "websocket.send", "text": frame})
            if len(self._queued) > MAX_QUEUED_FRAMES:
                self._overflow()

    def write_frames(self, frames: Frames) -> None:
        """Like `write` for each text, but in one write to the transport if possible."""
        if self._drain_task is None and not self._ended and self._write_now and self._write_now(frames.wire):
            return
        for text in frames.texts:
            self.write(text)

    def write_encoded(self, message: bytes) -> None:
        """Like `write`, for a message in UTF-8, which goes straight to the transport if possible."""
        is_idle = self._drain_task is None and not self._ended
        if not (is_idle and self._write_now and self._write_now(encode_text_frame(message))):
            self.write(message.decode())

    def end(self, code: int, within_ms: int | None = None) -> None:
        """Close the socket after the queued frames. With `within_ms` send RetryAfter first. Idempotent."""
        if self._ended:
            return
        if within_ms is not None:
            self.write(msgspec.json.encode(RetryAfter(within_ms=within_ms)).decode())
        close = {"type": "websocket.close", "code": code}
        if self._drain_task is not None:
            self._queued.append(close)
        elif not self._ended:
            self._start_send(close)
        self._ended = True

    def abort(self) -> None:
        """Drop the queued frames and send nothing more: the client has disconnected."""
        self._ended = True
        self._queued.clear()

    async def wait_closed(self) -> None:
        """Wait until all queued frames are sent or the client is gone. Nothing can be written afterwards."""
        self._ended = True
        if self._drain_task is not None:
            await asyncio.wait([self._drain_task])

    def _start_send(self, message: dict[str, Any]) -> None:
        sending: Any = self._send(message)
        try:
            awaited = sending.send(None)
        except StopIteration:
            return
        except OSError:  # its disconnect event follows
            self._ended = True
            return
        self._drain_task = asyncio.create_task(self._drain(_finish(sending, awaited)))

    async def _drain(self, first: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                await first
                while self._queued:
                    await self._send(self._queued.pop(0))
        except TimeoutError:
            self._overflow()
        except OSError:
            self._ended = True
        else:
            self._drain_task = None

    def _overflow(self) -> None:
        self._on_overflow()
        self._ended = True
        self._queued.clear()
        late = self._drain_task
        self._drain_task = asyncio.create_task(self._close_anyway())
        if late is not None and late is not asyncio.current_task():
            late.cancel()

    async def _close_anyway(self) -> None:
        try:
            await self._send({"type": "websocket.close", "code": CloseCode.TOO_SLOW})
        except OSError:
            return


@coroutine
def _finish(sending: Any, awaited: Any) -> Generator[Any, Any, None]:
    """Resume a started coroutine from the awaitable it yielded."""
    try:
        yield awaited
        yield from sending
    finally:
        sending.close()
