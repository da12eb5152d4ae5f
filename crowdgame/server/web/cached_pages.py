"""ASGI middleware that serves the phone page, the display page and static files from memory.

All are gzipped once, at startup. The phone and display pages exist once per language. They embed the preload
of their event.
"""

import gzip
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.conf import settings

from crowdgame.server.web.cached_responses import CachedResponse, secure_headers
from crowdgame.server.web.content_policy import strict_policy
from crowdgame.server.web.display_page import DisplayPages
from crowdgame.server.web.hosts import has_known_host
from crowdgame.server.web.phone_page import PhonePages
from voting.gateway.page_preload import PreloadParts

AsgiApplication = Callable[[Any, Any, Any], Awaitable[None]]
# (event code, team number or 0 for any) -> the event's state to embed in the phone page, or None.
PhonePreloadLoader = Callable[[str, int], PreloadParts | None]
# (event code, ASGI scope) -> the same for the display page.
DisplayPreloadLoader = Callable[[str, Any], PreloadParts | None]
# event code -> the origins whose pages may embed the event, separated by spaces.
SitesLoader = Callable[[str], Awaitable[str]]

CODE_PATH = re.compile(r"/(?:([BCDFGHJKMNPQRSTVWXYZ2-9]{4,16})(?:/([12]))?/?)?", re.IGNORECASE)
DISPLAY_PATH = re.compile(r"/display/([A-Za-z0-9]+)/?")
EMBED_PATH = re.compile(r"/embed/(?P<code>[A-Za-z0-9]+)(?P<phone>/phone)?/?")
HASHED_NAME = re.compile(r"[-.][A-Za-z0-9_-]{8,}\.\w+$")
COMPRESSED_TYPES = {"text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml"}


def static_pages(
    next_app: AsgiApplication,
    load_preload: PhonePreloadLoader = lambda _code, _team: None,
    load_display_preload: DisplayPreloadLoader = lambda _code, _scope: None,
    event_language: Callable[[str], str] = lambda _code: "",
    *,
    load_embed_sites: SitesLoader,
) -> AsgiApplication:
    """Answer GET and HEAD of pages and static files. Pass all other requests to `next_app`.

    `event_language` returns the language of an event by its code, or an empty string if it isn't known.
    """
    phones, displays = PhonePages(settings.PAGES_DIR), DisplayPages(settings.PAGES_DIR)
    static = dict(_load_static_files(settings.STATIC_ROOT)) | dict(
        _load_static_files(settings.PAGES_DIR / "static")
    )

    def found(path: str, scope: Any) -> CachedResponse | None:
        if phones and (code := CODE_PATH.fullmatch(path)):
            return phones.page_for(scope).with_preload(load_preload(code[1] or "", int(code[2] or 0)))
        if displays and (display := DISPLAY_PATH.fullmatch(path)):
            page = displays.page_for(scope, event_language(display[1]))
            # Under a foreign host name, no QR codes are made.
            preload = load_display_preload(display[1], scope) if has_known_host(scope) else None
            return page.with_preload(preload)
        return static.get(path)

    async def find_embedded(path: re.Match[str], scope: Any) -> CachedResponse | None:
        sites = await load_embed_sites(path["code"])
        page = found(("/" if path["phone"] else "/display/") + path["code"], scope)
        return page and page.framed_by(sites)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        embedded = EMBED_PATH.fullmatch(scope["path"])
        answer = await find_embedded(embedded, scope) if embedded else found(scope["path"], scope)
        if answer is None or scope["method"] not in {"GET", "HEAD"}:
            await next_app(scope, receive, send)
        else:
            await (answer if has_known_host(scope) else WRONG_HOST_RESPONSE).send(scope, send)

    return application


def require_known_host(next_app: AsgiApplication) -> AsgiApplication:
    """Reject requests with an unknown Host header with status 400.

    Django would reject them too, but it logs a traceback for each.
    """

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if has_known_host(scope):
            await next_app(scope, receive, send)
        else:
            await WRONG_HOST_RESPONSE.send(scope, send)

    return application


def page_for_path(path: str) -> str:
    """Return "phone" or "display", or an empty string for any other path."""
    if CODE_PATH.fullmatch(path):
        return "phone"
    return "display" if DISPLAY_PATH.fullmatch(path) else ""


def _load_static_files(root: Path) -> Iterator[tuple[str, CachedResponse]]:
    for path in sorted(root.rglob("*")):
        if path.is_file():
            yield f"{settings.STATIC_URL}{path.relative_to(root).as_posix()}", _load_static_file(path)


def _load_static_file(path: Path) -> CachedResponse:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    fresh = b"public, max-age=31536000, immutable" if HASHED_NAME.search(path.name) else b"no-cache"
    body = path.read_bytes()
    headers = [
        (b"content-type", kind.encode()),
        (b"cache-control", fresh),
        (b"x-content-type-options", b"nosniff"),
        (b"vary", b"accept-encoding"),
    ]
    return CachedResponse(headers, body, gzip.compress(body, 6) if kind in COMPRESSED_TYPES else None)


WRONG_HOST_RESPONSE = CachedResponse(
    secure_headers(
        {
            "Content-Type": "text/plain; charset=utf-8",
            "Cache-Control": "no-store",
            "Content-Security-Policy": strict_policy({}),
            "Referrer-Policy": "no-referrer",
        }
    ),
    b"Unknown host name.\n",
    None,
    HTTPStatus.BAD_REQUEST,
)
