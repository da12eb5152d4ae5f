"""Daphne WebSocket with backpressure for slow consumers and fast paths for short frames."""

import asyncio
from typing import Any

from autobahn.exception import Disconnected
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet.protocol import connectionDone
from twisted.internet.tcp import Connection
from twisted.python.failure import Failure

from voting.gateway.send_queue import FINAL_TEXT_FRAME, SHORT_PAYLOAD_LIMIT, encode_text_frame
from voting.protocol import CloseCode

MASK_BIT = 0x80
SHORT_HEADER_BYTES = 6
MAX_QUEUED_MESSAGES = 64


class DaphneSocket(WebSocketProtocol):  # type: ignore[misc]
    """A server-side WebSocket.

    `caught_up` is None unless the client reads too slowly. It is set as soon as the send buffer is empty.

    Autobahn handles every case of the protocol, and Twisted every kind of transport. Two common cases bypass
    them at a third of the cost. One is receiving a short unfragmented text frame. The other is sending a text
    while the send buffer is empty.
    """

    caught_up: asyncio.Event | None = None

    def connectionMade(self) -> None:
        self.transport.unregisterProducer()  # the HTTP channel, which is done after the upgrade
        super().connectionMade()
        self.transport.registerProducer(self, True)
        self._is_plain_tcp = isinstance(self.transport, Connection)

    def pauseProducing(self) -> None:
        if self.caught_up is None:
            self.caught_up = asyncio.Event()

    def resumeProducing(self) -> None:
        if self.caught_up is not None:
            self.caught_up.set()
            self.caught_up = None

    stopProducing = resumeProducing

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """Break a reference cycle: Autobahn resolves `is_closed` with the socket itself."""
        super().connectionLost(reason)
        self.is_closed = None

    def _closeConnection(self, abort: bool = False) -> None:
        """Discard a slow consumer's unsent data, because a close would wait until it is read."""
        self.transport.unregisterProducer()  # Twisted delays a close while a producer is registered
        super()._closeConnection(abort or self.caught_up is not None)
        self.resumeProducing()

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        if binary or isinstance(content, bytes):
            super().serverSend(content, binary)
            return
        if self.state != self.STATE_OPEN:
            raise Disconnected("closed")
        self.sendData(encode_text_frame(content))

    def write_frames(self, wire: bytes) -> bool:
        """Write prebuilt text frames, unless the client reads too slowly or the socket is closing."""
        if self.state != self.STATE_OPEN or self.caught_up is not None:
            return False
        self.sendData(wire)
        return True

    def sendData(self, data: bytes, sync: bool = False, chopsize: int | None = None) -> None:
        transport = self.transport
        if (
            self._is_plain_tcp
            and transport.connected
            and not (transport._tempDataBuffer or transport.dataBuffer)
        ):
            written = transport.writeSomeData(data)
            if written == len(data):
                return
            if isinstance(written, int):
                data = data[written:]
        transport.write(data)

    def dataReceived(self, data: bytes) -> None:
        size = len(data) - SHORT_HEADER_BYTES
        if (
            0 <= size < SHORT_PAYLOAD_LIMIT
            and data[0] == FINAL_TEXT_FRAME
            and data[1] == MASK_BIT | size
            and self.state == self.STATE_OPEN
            and self._is_between_messages()
        ):
            self._receive_text(data, size)
        else:
            self._dataReceived(data)

    def _is_between_messages(self) -> bool:
        return not (self.data or self.inside_message or self.current_frame)

    def _receive_text(self, data: bytes, size: int) -> None:
        key = (data[2:SHORT_HEADER_BYTES] * (size // 4 + 1))[:size]
        text = int.from_bytes(data[SHORT_HEADER_BYTES:], "big") ^ int.from_bytes(key, "big")
        try:
            self.onMessage(text.to_bytes(size, "big"), False)
        except UnicodeDecodeError:
            self._invalid_payload("not UTF-8")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        """Queue a message for the application. Close the socket if MAX_QUEUED_MESSAGES are waiting."""
        if self.state != self.STATE_OPEN:
            return
        if self.application_queue.qsize() < MAX_QUEUED_MESSAGES:
            super().onMessage(payload, isBinary)
        else:
            self.sendClose(CloseCode.TOO_MANY_FRAMES)

    def _max_message_size_exceeded(self, *_: Any) -> None:
        self.failedByMe = True  # discard the rest of the frame
        self.sendClose(CloseCode.FRAME_TOO_LARGE)
