"""`/record/CODE/N.json`: public match record download, and `/verify.py`, the script that recounts it.

A record holds resolved turns only, so nothing of an open voting window. Exporting a large match is expensive.
So concurrent exports and downloads are limited, and the latest records are cached. Above the limits the view
answers 503 with Retry-After.
"""

import gzip
from functools import cache
from threading import BoundedSemaphore
from urllib.parse import quote
from weakref import WeakSet

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from games.models import Match, MatchState
from voting.records.exports import MatchChanging, SidesStillSecret, export_match, find_match, record_version

MAX_CONCURRENT = 2
MAX_DOWNLOADS = 20
CACHE_SIZE = 4
GZIP_LEVEL = 4
CACHE_MAX_AGE_S = 60
SCRIPT_MAX_AGE_S = 300


class Download(HttpResponse):
    """A response that counts against MAX_DOWNLOADS until it is sent or its client disconnects."""

    def __init__(self, record: bytes) -> None:
        super().__init__(record, "application/json")
        _downloads.add(self)

    def close(self) -> None:
        _downloads.discard(self)
        super().close()


export_slots = BoundedSemaphore(MAX_CONCURRENT)
_cache: dict[tuple[object, ...], bytes] = {}
_downloads: WeakSet[Download] = WeakSet()


@require_safe
def match_record(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve a match record. Answers 503 when busy, 403 while sides are secret, and 404 without a match."""
    if not export_slots.acquire(blocking=False):
        return _retry_later()
    try:
        if len(_downloads) >= MAX_DOWNLOADS:
            return _retry_later()
        found = _find_record(code, number)
        if found is None:
            return HttpResponse("There is no such match.\n", "text/plain", 404)
        return _record_response(request, *found)
    except MatchChanging:
        return _retry_later()
    except SidesStillSecret as refusal:
        return HttpResponse(
            f"Not available yet: {refusal}.\n", "text/plain", 403, headers={"Cache-Control": "no-store"}
        )
    finally:
        export_slots.release()


def _retry_later() -> HttpResponse:
    return HttpResponse(
        "The server is busy. Try again in a moment.\n", "text/plain", 503, headers={"Retry-After": "2"}
    )


def _find_record(code: str, number: int) -> tuple[Match, bytes] | None:
    """Return the match and its gzipped record, or None. Cached until the match continues."""
    match = find_match(code, number)
    kept = _cache.get(record_version(match)) if match else None
    if match and kept:
        return match, kept
    exported = export_match(code, number)
    if exported is None:
        return None
    packed = gzip.compress(msgspec.json.encode(exported.record) + b"\n", GZIP_LEVEL)
    while len(_cache) >= CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[exported.version] = packed
    return exported.match, packed


def _record_response(request: HttpRequest, match: Match, packed: bytes) -> HttpResponse:
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = Download(packed if compressed else gzip.decompress(packed))
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    over = match.state != MatchState.PLAYING
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}" if over else "no-cache"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    name = quote(f"{match.event.code}-{match.number}.json")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}"'
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    """Serve the verification script, which recounts a match from its record."""
    answer = HttpResponse(_script(), "text/plain; charset=utf-8")
    answer.headers["Cache-Control"] = f"public, max-age={SCRIPT_MAX_AGE_S}"
    answer.headers["Content-Disposition"] = 'inline; filename="verify.py"'
    return answer


@cache
def _script() -> bytes:
    return (settings.BASE_DIR / "docs" / "verify.py").read_bytes()
