"""HTTP responses kept in memory, gzipped once."""

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse
from django.utils.module_loading import import_string

from crowdgame.server.web.content_policy import built_page_policy

Headers = list[tuple[bytes, bytes]]
FRAME_ANCESTORS = re.compile(rb"frame-ancestors [^;]*")


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A complete HTTP response. `gzipped` is the compressed body, or None if compression doesn't pay."""

    headers: Headers
    body: bytes
    gzipped: bytes | None
    status: int = HTTPStatus.OK

    def framed_by(self, sites: str) -> "CachedResponse":
        """The same response for a frame in pages of these origins. Without any, no page may frame it."""
        ancestors = f"frame-ancestors {sites or NONE}".encode()
        headers = [(name, FRAME_ANCESTORS.sub(ancestors, value)) for name, value in self.headers]
        others = [header for header in headers if header[0] != b"x-frame-options"]
        return replace(self, headers=others if sites else [*others, (b"x-frame-options", b"DENY")])

    async def send(self, scope: Any, send: Any) -> None:
        headers, body = self.headers, self.body
        if self.gzipped is not None and b"gzip" in dict(scope["headers"]).get(b"accept-encoding", b""):
            headers, body = [*headers, (b"content-encoding", b"gzip")], self.gzipped
        headers = [*headers, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


@dataclass(slots=True)
class CollectedResponse:
    """The ASGI messages of a response that is not sent yet."""

    messages: list[Any] = field(default_factory=list)

    async def collect(self, message: Any) -> None:
        self.messages.append(message)

    @property
    def body(self) -> bytes | None:
        """The body of a complete response with status 200; None of any other."""
        if not self.messages or self.messages[0]["status"] != HTTPStatus.OK:
            return None
        parts = self.messages[1:]
        is_complete = bool(parts) and not parts[-1].get("more_body", False)
        return b"".join(part.get("body", b"") for part in parts) if is_complete else None


def secure_headers(headers: Mapping[str, str]) -> Headers:
    """Return the headers and those that SECURITY_MIDDLEWARE adds, in lower case as in ASGI."""

    def respond(request: ASGIRequest) -> HttpResponse:
        return HttpResponse(headers=headers)

    for name in reversed(settings.SECURITY_MIDDLEWARE):
        respond = import_string(name)(respond)
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "https", "headers": []}
    response = respond(ASGIRequest(scope, BytesIO()))
    return [(name.lower().encode(), value.encode()) for name, value in response.items()]


def load_page(path: Path, varies: str) -> CachedResponse:
    """Read a built HTML page, with a Content-Security-Policy that allows only its own resources.

    Our own pages may show it in a frame. `varies` is the value of the Vary header.
    """
    body = path.read_bytes()
    headers = secure_headers(
        {
            "Content-Type": "text/html; charset=utf-8",
            "Cache-Control": "no-cache",
            "Content-Security-Policy": built_page_policy(body, frame_ancestors=[SELF]),
            "X-Frame-Options": "SAMEORIGIN",
            "Referrer-Policy": "no-referrer",
            "Vary": varies,
        }
    )
    return CachedResponse(headers, body, gzip.compress(body, 9))
