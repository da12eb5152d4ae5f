"""Daphne HTTP requests whose bodies are limited in size and time and stay in memory."""

from io import BytesIO
from typing import Any

from daphne.http_protocol import WebRequest
from twisted.protocols.basic import LineReceiver
from twisted.web.http import HTTPChannel

from crowdgame.serving.body_budget import Reservation
from crowdgame.serving.proxy_headers import FORWARDED_FOR
from crowdgame.serving.request_limits import (
    BODY_TOO_LARGE_RESPONSE,
    HEAD_TOO_LARGE_RESPONSE,
    MAX_HEAD_BYTES,
    BodyLimits,
    BodyRefused,
)


class DaphneRequest(WebRequest):  # type: ignore[misc]
    """An HTTP request. `reservation` is its share of the memory for bodies, if it has a body."""

    reservation: Reservation | None = None

    def gotLength(self, length: int | None) -> None:
        """Keep the body in memory: Twisted writes bodies over 100 kB to a temporary file."""
        self.content = BytesIO()

    def process(self) -> Any:
        if self.reservation:
            self.reservation.finish()
        processing = super().process()
        if self.transport is None:  # it became a WebSocket
            self._release()
        return processing

    def finish(self) -> None:
        self._release()
        super().finish()

    def connectionLost(self, reason: Any) -> None:
        self._release()
        super().connectionLost(reason)

    def _release(self) -> None:
        if self.reservation:
            self.reservation.release()


class DaphneRequestChannel(HTTPChannel):
    """An HTTP connection.

    Twisted's timeouts start again with each byte. These limit the total time of a request head, of a body,
    and of the wait for the next request.
    """

    head_timeout_s: float
    body_timeout_s: float
    body_limits: BodyLimits
    is_refused = False
    head_size = 0

    def dataReceived(self, data: bytes) -> None:
        if not self.requests and not self._buffer:
            self.setTimeout(self.head_timeout_s)  # type: ignore[no-untyped-call]
        LineReceiver.dataReceived(self, data)  # type: ignore[no-untyped-call]

    def lineReceived(self, line: bytes) -> None:
        """Receive a line of a request head."""
        self.head_size += len(line) + 2
        if self.head_size > MAX_HEAD_BYTES:
            self._refuse(HEAD_TOO_LARGE_RESPONSE)
        elif not self.is_refused:
            super().lineReceived(line)  # type: ignore[no-untyped-call]  # Twisted declares none

    def lineLengthExceeded(self, line: bytes) -> None:
        self._refuse(HEAD_TOO_LARGE_RESPONSE)

    def allHeadersReceived(self) -> None:
        self.head_size = 0
        if self.length != 0:
            try:
                self.requests[-1].reservation = self._admit_body(self.requests[-1])
            except BodyRefused as refusal:
                self._refuse(refusal.response)
                return
        self.setTimeout(self.body_timeout_s)  # type: ignore[no-untyped-call]
        super().allHeadersReceived()  # type: ignore[no-untyped-call]

    @property
    def _target(self) -> bytes:
        target: Any = self._path
        return bytes(target)

    def _admit_body(self, request: DaphneRequest) -> Reservation:
        transport: Any = self.transport
        peer = getattr(transport.getPeer(), "host", "")
        forwarded = request.requestHeaders.getRawHeaders(FORWARDED_FOR, [])
        headers = [(FORWARDED_FOR, value) for value in forwarded]
        return self.body_limits.admit(self._target, self.length, peer, headers, transport.abortConnection)

    def rawDataReceived(self, data: bytes) -> None:
        if self.is_refused:
            return
        is_chunked = self.length is None
        if is_chunked and self._received() + len(data) > self.body_limits.max_bytes(self._target):
            self._refuse(BODY_TOO_LARGE_RESPONSE)
        else:
            super().rawDataReceived(data)

    def _received(self) -> int:
        return int(self.requests[-1].content.tell())

    def _refuse(self, response: bytes) -> None:
        if self.is_refused:
            return
        self.is_refused = True
        transport: Any = self.transport
        transport.write(response)
        self.loseConnection()  # type: ignore[no-untyped-call]
