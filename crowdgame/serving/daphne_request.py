"""Daphne HTTP requests whose bodies are limited in size and time and stay in memory."""

from io import BytesIO
from typing import Any

from daphne.http_protocol import WebRequest
from twisted.protocols.basic import LineReceiver
from twisted.web.http import HTTPChannel

from crowdgame.serving.request_limits import BODY_TOO_LARGE_RESPONSE, MAX_BODY_BYTES


class DaphneRequest(WebRequest):  # type: ignore[misc]
    def gotLength(self, length: int | None) -> None:
        """Keep the body in memory: Twisted writes bodies over 100 kB to a temporary file."""
        self.content = BytesIO()


class DaphneRequestChannel(HTTPChannel):
    """An HTTP connection.

    Twisted's timeouts start again with each byte. These limit the total time of a request head, of a body,
    and of the wait for the next request.
    """

    head_timeout_s: float
    body_timeout_s: float

    def dataReceived(self, data: bytes) -> None:
        if not self.requests and not self._buffer:
            self.setTimeout(self.head_timeout_s)  # type: ignore[no-untyped-call]
        LineReceiver.dataReceived(self, data)  # type: ignore[no-untyped-call]

    def allHeadersReceived(self) -> None:
        if self.length is not None and self.length > MAX_BODY_BYTES:
            self._refuse_body()
            return
        self.setTimeout(self.body_timeout_s)  # type: ignore[no-untyped-call]
        super().allHeadersReceived()  # type: ignore[no-untyped-call]

    def rawDataReceived(self, data: bytes) -> None:
        is_chunked = self.length is None
        if is_chunked and self.requests[-1].content.tell() + len(data) > MAX_BODY_BYTES:
            self._refuse_body()
        else:
            super().rawDataReceived(data)

    def _refuse_body(self) -> None:
        transport: Any = self.transport
        transport.write(BODY_TOO_LARGE_RESPONSE)
        self.loseConnection()  # type: ignore[no-untyped-call]
