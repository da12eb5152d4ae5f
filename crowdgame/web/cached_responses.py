"""HTTP responses kept in memory, gzipped once."""

import gzip
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from crowdgame.web.content_policy import content_security_policy
from crowdgame.web.headers import encoded_security_headers


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A complete HTTP response. `gzipped` is the compressed body, or None if compression doesn't pay."""

    headers: list[tuple[bytes, bytes]]
    body: bytes
    gzipped: bytes | None
    status: int = HTTPStatus.OK

    async def send(self, scope: Any, send: Any) -> None:
        headers, body = self.headers, self.body
        if self.gzipped is not None and b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b""):
            headers, body = [*headers, (b"content-encoding", b"gzip")], self.gzipped
        headers = [*headers, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def load_page(path: Path, varies: bytes = b"accept-encoding") -> CachedResponse:
    """Read a built HTML page, with a Content-Security-Policy that allows only its own resources.

    `varies` is the value of the Vary header.
    """
    body = path.read_bytes()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-cache"),
        (b"content-security-policy", content_security_policy(body).encode()),
        (b"referrer-policy", b"no-referrer"),
        *encoded_security_headers(),
        (b"vary", varies),
    ]
    return CachedResponse(headers, body, gzip.compress(body, 9))
