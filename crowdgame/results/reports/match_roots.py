"""`/record/CODE/N/roots.json` and `log/KNOWN.json`: the seals of a match in its record, and in the log.

All its phones request them within two minutes after it. The views serve what is true now. `cache_roots`,
ahead of Django, keeps their answers for FRESH_S, and those of `/report/CODE/N/live.json`, which analysis
boards poll. So a crowd costs a few queries every few seconds, and otherwise only responses from memory.
"""

import asyncio
import gzip
import hashlib
import re
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from weakref import WeakValueDictionary

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from crowdgame.server.web.cached_pages import AsgiApplication
from crowdgame.server.web.cached_responses import CachedResponse, CollectedResponse, secure_headers
from voting.records.exports import SidesStillSecret, find_match, record_version
from voting.records.match_roots import export_logged_seals, export_roots
from voting.transparency.log import load_log
from voting.transparency.merkle import InvalidProof

POLLED_PATH = re.compile(
    r"/(record|report)/([A-Za-z0-9]{4,16})/(\d{1,9})/(?:(roots|live)|log/(\d{1,10}))\.json"
)
# Phones confirm a difference by asking again after more than MAX_AGE_S + FRESH_S (`sealChecks.ts`).
FRESH_S, MAX_AGE_S = 2, 5
CACHE_SIZE = 64
GZIP_LEVEL = 6
RootsKey = tuple[str, str, int, str | int]
# Headers that the answer does not depend on, or that would make it one for a single client.
OWN_HEADERS = {b"cookie", b"authorization", b"accept-encoding", b"if-none-match", b"if-modified-since"}
_bodies: dict[tuple[object, ...], bytes] = {}


@require_safe
def match_roots(_request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve the seals as JSON, built once after each turn.

    Answers 403 while sides are secret, and 404 without a match.
    """
    match = find_match(code, number)
    if match is None:
        return HttpResponse("There is no such match.\n", "text/plain", 404)
    version = record_version(match)
    try:
        body = _bodies.get(version) or msgspec.json.encode(export_roots(match))
    except SidesStillSecret as refusal:
        return HttpResponse(f"Not available yet: {refusal}.\n", "text/plain", 403)
    while version not in _bodies and len(_bodies) >= CACHE_SIZE:
        _bodies.pop(next(iter(_bodies)), None)
    _bodies[version] = body
    return HttpResponse(body, "application/json", headers=_public_headers(body))


@require_safe
def match_log(_request: HttpRequest, code: str, number: int, known: int) -> HttpResponse:
    """Serve the logged seals as JSON. Answers 404 if the match isn't over, or isn't in the log.

    Redirects a phone that knows more entries than the log has.
    """
    size = load_log().checkpoint.size
    if known > size:
        return HttpResponseRedirect(f"{size}.json")
    match = find_match(code, number)
    try:
        logged = match and export_logged_seals(match, known)
    except InvalidProof:
        logged = None
    if logged is None:
        return HttpResponse("Not in the log.\n", "text/plain", 404)
    body = msgspec.json.encode(logged)
    return HttpResponse(body, "application/json", headers=_public_headers(body))


def _public_headers(body: bytes) -> dict[str, str]:
    return {
        "Cache-Control": f"public, max-age={MAX_AGE_S}",
        "ETag": f'W/"{hashlib.sha256(body).hexdigest()[:32]}"',
        "Access-Control-Allow-Origin": "*",
        "Vary": "Accept-Encoding",
    }


@dataclass(frozen=True, slots=True)
class FreshRoots:
    """An answer that may be sent until `until` (monotonic time)."""

    until: float
    etag: bytes
    response: CachedResponse

    async def send(self, scope: Any, send: Any) -> None:
        response = self.response
        if dict(scope["headers"]).get(b"if-none-match") == self.etag:
            response = CachedResponse(response.headers, b"", None, HTTPStatus.NOT_MODIFIED)
        await response.send(scope, send)


def cache_roots(next_app: AsgiApplication) -> AsgiApplication:
    """Answer GET of POLLED_PATH from memory. Asks `next_app` once for all requests that wait for an answer.

    Other requests, and answers other than 200, are those of `next_app`.
    """
    others, logs = RootsCache(next_app), RootsCache(next_app)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        path = POLLED_PATH.fullmatch(scope["path"])
        if path is None or scope["method"] != "GET":
            await next_app(scope, receive, send)
            return
        key = path[1], path[2].upper(), int(path[3]), path[4] or int(path[5])
        if found := await (logs if path[5] else others).find(key, scope, receive, send):
            await found.send(scope, send)

    return application


@dataclass(slots=True)
class RootsCache:
    """The latest answers of `next_app`, by the parts of the path."""

    next_app: AsgiApplication
    _answers: dict[RootsKey, FreshRoots] = field(default_factory=dict)
    _locks: WeakValueDictionary[RootsKey, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    async def find(self, key: RootsKey, scope: Any, receive: Any, send: Any) -> FreshRoots | None:
        """Return a fresh answer. None if `next_app` answered anything but 200, which is sent on."""
        if found := self._fresh(key):
            return found
        async with self._locks.setdefault(key, asyncio.Lock()):
            return self._fresh(key) or await self._load(key, scope, receive, send)

    def _fresh(self, key: RootsKey) -> FreshRoots | None:
        found = self._answers.get(key)
        return found if found and time.monotonic() < found.until else None

    async def _load(self, key: RootsKey, scope: Any, receive: Any, send: Any) -> FreshRoots | None:
        collected = CollectedResponse()
        headers = [header for header in scope["headers"] if header[0] not in OWN_HEADERS]
        await self.next_app({**scope, "headers": headers}, receive, collected.collect)
        if collected.body is None:
            for message in collected.messages:
                await send(message)
            return None
        fresh = await asyncio.to_thread(_fresh_roots, collected.body)
        while key not in self._answers and len(self._answers) >= CACHE_SIZE:
            self._answers.pop(next(iter(self._answers)))
        self._answers[key] = fresh
        return fresh


def _fresh_roots(body: bytes) -> FreshRoots:
    headers = _public_headers(body)
    response = CachedResponse(
        secure_headers({"Content-Type": "application/json", **headers}),
        body,
        gzip.compress(body, GZIP_LEVEL),
    )
    return FreshRoots(time.monotonic() + FRESH_S, headers["ETag"].encode(), response)
