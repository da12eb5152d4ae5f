"""`/record/CODE/N.json`: the match record for anyone who wants to count again.

It holds the turns that are resolved, so nothing of an open window. Making one of a full hall is work: few are
made or unpacked at a time, the last ones are kept, and only so many are on their way. Who finds all hands
busy is told to come again.
"""

import gzip
from threading import BoundedSemaphore
from urllib.parse import quote
from weakref import WeakSet

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from games.models import Match, MatchState
from voting.records.exports import MatchChanging, SidesStillSecret, export_match, find_match, record_version

AT_ONCE = 2
ON_THEIR_WAY = 20
KEPT = 4
GZIP_LEVEL = 4
FRESH_S = 60


class Download(HttpResponse):
    """Counted until it is sent, or dropped because nobody waits for it any more."""

    def __init__(self, record: bytes) -> None:
        super().__init__(record, "application/json")
        _on_their_way.add(self)

    def close(self) -> None:
        _on_their_way.discard(self)
        super().close()


hands = BoundedSemaphore(AT_ONCE)
_kept: dict[tuple[object, ...], bytes] = {}
_on_their_way: WeakSet[Download] = WeakSet()


@require_safe
def match_record(request: HttpRequest, code: str, number: int) -> HttpResponse:
    if not hands.acquire(blocking=False):
        return _busy()
    try:
        if len(_on_their_way) >= ON_THEIR_WAY:
            return _busy()
        found = _find(code, number)
        return _answer(request, *found) if found else _none()
    except MatchChanging:
        return _busy()
    except SidesStillSecret as refusal:
        return HttpResponse(
            f"Not yet: {refusal}.\n", "text/plain", 403, headers={"Cache-Control": "no-store"}
        )
    finally:
        hands.release()


def _busy() -> HttpResponse:
    return HttpResponse("Come again in a moment.\n", "text/plain", 503, headers={"Retry-After": "2"})


def _none() -> HttpResponse:
    return HttpResponse("There is no such match.\n", "text/plain", 404)


def _find(code: str, number: int) -> tuple[Match, bytes] | None:
    """The match and its record, compressed: the same as long as the match does not go on."""
    match = find_match(code, number)
    kept = _kept.get(record_version(match)) if match else None
    if match and kept:
        return match, kept
    exported = export_match(code, number)
    if exported is None:
        return None
    packed = gzip.compress(msgspec.json.encode(exported.record) + b"\n", GZIP_LEVEL)
    while len(_kept) >= KEPT:
        _kept.pop(next(iter(_kept)), None)
    _kept[exported.version] = packed
    return exported.match, packed


def _answer(request: HttpRequest, match: Match, packed: bytes) -> HttpResponse:
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = Download(packed if compressed else gzip.decompress(packed))
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    over = match.state != MatchState.PLAYING
    answer.headers["Cache-Control"] = f"public, max-age={FRESH_S}" if over else "no-cache"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    name = quote(f"{match.event.code}-{match.number}.json")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}"'
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer
