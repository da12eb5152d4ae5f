"""A minimal WebSocket client: text frames, one handler for all connections, no tasks."""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from typing import cast

TEXT, CLOSE, PING = 0x81, 0x88, 0x89
PONG = 0x8A
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MASK = os.urandom(4)
SHORT = 126
OPEN_WITHIN_S = 30.0
OPENING_AT_ONCE = 50

FrameHandler = Callable[["Connection", bytes], None]


def frame(payload: bytes, first: int = TEXT, mask: bytes = MASK) -> bytes:
    """A client's frame, masked as the protocol requires, so the server has to unmask it."""
    size = len(payload)
    if size < SHORT:
        length = bytes((0x80 | size,))
    else:
        wide = 2 if size < 1 << 16 else 8
        length = bytes((0x80 | (SHORT if wide == 2 else SHORT + 1),)) + size.to_bytes(wide, "big")
    key = (mask * (size // 4 + 1))[:size]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")
    return bytes((first,)) + length + mask + masked.to_bytes(size, "big")


def handshake(path: str, port: int, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
    lines += [f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


class Connection(asyncio.Protocol):
    """`on_frame` receives every text frame. `sequence` and `choice` are the voter's last ballot."""

    def __init__(self, on_frame: FrameHandler) -> None:
        self.on_frame = on_frame
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended = False
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sequence = 0
        self.choice = 1
        self._kept = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended = True
        if not self.closed.done():
            self.closed.set_result(None)
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionError("closed during the handshake"))

    def send(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def say(self, text: bytes) -> None:
        self.send(frame(text))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        data = self._kept + data if self._kept else data
        if not self.opened.done():
            data = self._finish_handshake(data)
        self._kept = self._read(data)

    def _finish_handshake(self, data: bytes) -> bytes:
        head, end, rest = data.partition(b"\r\n\r\n")
        if not end:
            self._kept = data
            return b""
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            self.opened.set_exception(ConnectionError(head.decode(errors="replace")[:100]))
        else:
            self.opened.set_result(None)
        return rest

    def _read(self, data: bytes) -> bytes:
        """Handle all complete frames; return the rest."""
        at, size = 0, len(data)
        while size - at >= 2:
            body, length = _body_of(data, at)
            if body + length > size:
                break
            self._handle_frame(data[at], data[body : body + length])
            at = body + length
        return data[at:] if at else data

    def _handle_frame(self, first: int, payload: bytes) -> None:
        if first == TEXT:
            self.on_frame(self, payload)
        elif first == PING:
            self.send(frame(payload, PONG))
        elif first == CLOSE:
            self.close()


def _body_of(data: bytes, at: int) -> tuple[int, int]:
    """Offset and length of a server frame's payload; beyond the end while unknown."""
    length = data[at + 1]
    if length < SHORT:
        return at + 2, length
    wide = 2 if length == SHORT else 8
    if len(data) < at + 2 + wide:
        return at + 2 + wide, len(data)
    return at + 2 + wide, int.from_bytes(data[at + 2 : at + 2 + wide], "big")


async def open_connection(
    port: int, path: str, on_frame: FrameHandler, headers: Mapping[str, str] | None = None
) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(on_frame), "127.0.0.1", port)
    more = (f"{name}: {value}" for name, value in (headers or {}).items())
    connection.send(handshake(path, port, *more))
    async with asyncio.timeout(OPEN_WITHIN_S):
        await connection.opened
    return connection


async def open_connections(port: int, path: str, on_frame: FrameHandler, count: int) -> list[Connection]:
    lines: list[Connection] = []
    while len(lines) < count:
        batch = range(min(OPENING_AT_ONCE, count - len(lines)))
        lines += await asyncio.gather(*(open_connection(port, path, on_frame) for _ in batch))
    return lines


def close_all(lines: Iterable[Connection]) -> None:
    for connection in lines:
        connection.close()
