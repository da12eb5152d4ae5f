"""Limits of HTTP requests on both servers, and the responses to requests that exceed them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from crowdgame.server.serving.body_budget import BodyBudget, Reservation
from crowdgame.server.serving.proxy_headers import Headers, client_address
from voting.metrics.metrics import count_refusal

MAX_HEAD_BYTES = 16_384  # request line and headers, of pages and of WebSocket handshakes
MAX_FORM_BYTES = 65_536
MAX_UPLOAD_BYTES = 1_048_576
HEAD_TIMEOUT_S = 10.0
BODY_TIMEOUT_S = 60.0  # for the whole body, however steadily its bytes arrive
BUSY_RETRY_S = 3
NOTHING = re.compile(rb"(?!)")


def response(status: bytes, text: bytes, headers: bytes = b"") -> bytes:
    return (
        b"HTTP/1.1 %b\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"
        b"%bConnection: close\r\nContent-Length: %d\r\n\r\n%b"
    ) % (status, headers, len(text), text)


HEAD_TOO_LARGE_RESPONSE = response(
    b"431 Request Header Fields Too Large", b"The headers of the request are too large.\n"
)
INVALID_REQUEST_RESPONSE = response(b"400 Bad Request", b"The request is invalid.\n")
BODY_TOO_LARGE_RESPONSE = response(b"413 Content Too Large", b"The request is too large.\n")
BUSY_RESPONSE = response(
    b"503 Service Unavailable",
    b"Too many requests at once. Try again in a few seconds.\n",
    b"Retry-After: %d\r\n" % BUSY_RETRY_S,
)


@dataclass(frozen=True, slots=True)
class BodyRefused(Exception):
    """The request's body is not read. `response` is the whole HTTP response."""

    response: bytes


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Admits requests with a body. Paths that match `upload_paths` may have bodies of MAX_UPLOAD_BYTES.

    `proxies` is the number of reverse proxies in front.
    """

    proxies: int = 0
    upload_paths: re.Pattern[bytes] = NOTHING
    budget: BodyBudget = field(default_factory=BodyBudget)

    def max_bytes(self, target: bytes) -> int:
        """Return the maximum size of a body for this request target, a path with or without a query."""
        is_upload = self.upload_paths.fullmatch(target.partition(b"?")[0])
        return MAX_UPLOAD_BYTES if is_upload else MAX_FORM_BYTES

    def admit(
        self, target: bytes, length: int | None, peer: str, headers: Headers, abort: Callable[[], object]
    ) -> Reservation:
        """Reserve memory for a body of `length` bytes; None: of an unknown length. Raises BodyRefused."""
        limit = self.max_bytes(target)
        if length is not None and length > limit:
            raise BodyRefused(BODY_TOO_LARGE_RESPONSE)
        address = client_address(peer, headers, self.proxies)
        reservation = self.budget.reserve(address, limit if length is None else length, abort)
        if reservation is None:
            count_refusal("upload")
            raise BodyRefused(BUSY_RESPONSE)
        return reservation
