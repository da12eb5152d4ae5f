"""A WebSocket of Daphne's that tells when its reader is behind, and takes the short way where it can."""

import asyncio
from functools import lru_cache
from typing import Any

from autobahn.exception import Disconnected
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure

from voting.protocol import CloseCode

WHOLE_TEXT = 0x81
MASKED = 0x80
SHORT = 126
SHORT_HEADER = 6
LARGE = 1 << 16
FRAMES_KEPT = 4
WAITING_AT_MOST = 64


class DaphneSocket(WebSocketProtocol):  # type: ignore[misc]
    """`behind` is set as soon as its reader has caught up; None if it has not fallen behind.

    Autobahn's way of a frame is made for every case of the protocol, and Twisted's of a write for every
    kind of transport. A short whole frame in, a text out to somebody who keeps up: these have a way of
    their own, at a third of the cost.
    """

    behind: asyncio.Event | None = None

    def connectionMade(self) -> None:
        self.transport.unregisterProducer()  # the HTTP channel, which has done its part
        super().connectionMade()
        self.transport.registerProducer(self, True)
        self._plain = isinstance(self.transport, Connection)

    def pauseProducing(self) -> None:
        if self.behind is None:
            self.behind = asyncio.Event()

    def resumeProducing(self) -> None:
        if self.behind is not None:
            self.behind.set()
            self.behind = None

    stopProducing = resumeProducing

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Autobahn tells a socket's end by the socket itself, a circle that only the collector would find."""
        super().connectionLost(reason)
        self.is_closed = None

    def _closeConnection(self, abort: bool = False) -> None:
        """What somebody who is behind has not read is thrown away: no end would wait for it."""
        self.transport.unregisterProducer()  # while there is one, Twisted waits for what it has to say
        super()._closeConnection(abort or self.behind is not None)
        self.resumeProducing()

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        if binary or isinstance(content, bytes):
            super().serverSend(content, binary)
            return
        if self.state != self.STATE_OPEN:
            raise Disconnected("closed")
        self.sendData(framed(content))

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:
        transport = self.transport
        if self._plain and transport.connected and not (transport._tempDataBuffer or transport.dataBuffer):
            written = transport.writeSomeData(data)
            if written == len(data):
                return
            if isinstance(written, int):
                data = data[written:]
        transport.write(data)

    def dataReceived(self, data: bytes) -> None:
        size = len(data) - SHORT_HEADER
        if (
            0 <= size < SHORT
            and data[0] == WHOLE_TEXT
            and data[1] == MASKED | size
            and self.state == self.STATE_OPEN
            and self._is_between_messages()
        ):
            self._take_text(data, size)
        else:
            self._dataReceived(data)

    def _is_between_messages(self) -> bool:
        return not (self.data or self.inside_message or self.current_frame)

    def _take_text(self, data: bytes, size: int) -> None:
        key = (data[2:SHORT_HEADER] * (size // 4 + 1))[:size]
        text = int.from_bytes(data[SHORT_HEADER:], "big") ^ int.from_bytes(key, "big")
        try:
            self.onMessage(text.to_bytes(size, "big"), False)
        except UnicodeDecodeError:
            self._invalid_payload("not UTF-8")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """What the application has not taken yet waits, but not without end."""
        if self.state != self.STATE_OPEN:
            return
        if self.application_queue.qsize() < WAITING_AT_MOST:
            super().onMessage(payload, isBinary)
        else:
            self.sendClose(CloseCode.TOO_MANY_FRAMES)

    def _max_message_size_exceeded(self, *_: Any) -> None:
        self.failedByMe = True  # what still comes of it is thrown away
        self.sendClose(CloseCode.FRAME_TOO_LARGE)


@lru_cache(maxsize=FRAMES_KEPT)
def framed(text: str) -> bytes:
    """The frame of a text; a broadcast makes it once for all sockets."""
    payload = text.encode()
    size = len(payload)
    if size < SHORT:
        return bytes((WHOLE_TEXT, size)) + payload
    if size < LARGE:
        return bytes((WHOLE_TEXT, SHORT)) + size.to_bytes(2, "big") + payload
    return bytes((WHOLE_TEXT, SHORT + 1)) + size.to_bytes(8, "big") + payload
