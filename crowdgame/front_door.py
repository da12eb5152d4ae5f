"""Phone and projector pages and static files from memory, compressed once, ahead of Django.

The phone's page is there once in each language; who asks gets the one that is understood best.
"""

import gzip
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings

from crowdgame.headers import for_pages_from_memory
from crowdgame.hosts import asks_a_known_host
from crowdgame.tongues import tongue_of
from voting.pages.content_policy import content_security_policy

Application = Callable[[Any, Any, Any], Awaitable[None]]

CODE = re.compile(r"/(?:[BCDFGHJKMNPQRSTVWXYZ2-9]{4,8}(?:/[12])?/?)?", re.IGNORECASE)
DISPLAY = re.compile(r"/display/[^/]+/?")
ENGLISH = "en"
HASHED = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.\w+$")
COMPRESSED = {"text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, ready to be sent, plain and (where it pays) gzip."""

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


def front_door(behind: Application) -> Application:
    """Answers GET of pages and static files; everything else goes to `behind`."""
    phones, display = _phones(settings.PAGES_DIR), _page(settings.PAGES_DIR / "display.html")
    static = dict(_static_files(settings.STATIC_ROOT)) | dict(_static_files(settings.PAGES_DIR / "static"))

    def found(path: str, scope: Any) -> Answer | None:
        page = page_at(path)
        if page == "phone" and phones:
            return phones[_tongue(scope, tuple(phones))]
        return static.get(path) or (display if page == "display" else None)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        answer = found(scope["path"], scope)
        if answer is None or scope["method"] not in {"GET", "HEAD"}:
            await behind(scope, receive, send)
        else:
            await (answer if asks_a_known_host(scope) else WRONG_HOST).send(scope, send)

    return application


def at_known_hosts(behind: Application) -> Application:
    """Who asks for a house of another name comes no further: Django would log a traceback for each."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if asks_a_known_host(scope):
            await behind(scope, receive, send)
        else:
            await WRONG_HOST.send(scope, send)

    return application


def page_at(path: str) -> str:
    """The page that this address shows; empty if it is not one of these."""
    if CODE.fullmatch(path):
        return "phone"
    return "display" if DISPLAY.fullmatch(path) else ""


def _phones(folder: Path) -> dict[str, Answer]:
    """The phone's page in each language, the one for everybody first; empty if the front end is not built."""
    others = {path.suffixes[0][1:]: path for path in sorted(folder.glob("phone.??.html"))}
    built = {ENGLISH: folder / "phone.html", **others}
    varies = b"accept-encoding, accept-language" if others else b"accept-encoding"
    return {tongue: page for tongue, path in built.items() if (page := _page(path, varies)) is not None}


def _tongue(scope: Any, spoken: tuple[str, ...]) -> str:
    accepted = dict(scope["headers"]).get(b"accept-language", b"")
    return tongue_of(scope.get("query_string", b""), accepted, spoken)


def _page(path: Path, varies: bytes = b"accept-encoding") -> Answer | None:
    """A page with a policy that lets nothing in but itself; None if the front end is not built."""
    if not path.is_file():
        return None
    body = path.read_bytes()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-cache"),
        (b"content-security-policy", content_security_policy(body).encode()),
        (b"referrer-policy", b"no-referrer"),
        *for_pages_from_memory(),
        (b"vary", varies),
    ]
    return Answer(headers, body, gzip.compress(body, 9))


def _static_files(root: Path) -> Iterator[tuple[str, Answer]]:
    for path in sorted(root.rglob("*")):
        if path.is_file():
            yield f"{settings.STATIC_URL}{path.relative_to(root).as_posix()}", _static(path)


def _static(path: Path) -> Answer:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    fresh = b"public, max-age=31536000, immutable" if HASHED.search(path.name) else b"no-cache"
    body = path.read_bytes()
    headers = [
        (b"content-type", kind.encode()),
        (b"cache-control", fresh),
        (b"x-content-type-options", b"nosniff"),
        (b"vary", b"accept-encoding"),
    ]
    return Answer(headers, body, gzip.compress(body, 6) if kind in COMPRESSED else None)


WRONG_HOST = Answer(
    [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"content-security-policy", b"default-src 'none'; base-uri 'none'; frame-ancestors 'none'"),
        (b"referrer-policy", b"no-referrer"),
        *for_pages_from_memory(),
    ],
    b"This house has another name.\n",
    None,
    HTTPStatus.BAD_REQUEST,
)
