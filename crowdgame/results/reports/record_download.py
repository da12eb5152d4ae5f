"""`/record/CODE/N.json`: public match record download.

A record holds resolved turns only, so nothing of an open voting window. Exporting a large match is expensive.
So concurrent exports are limited, and the latest records are cached. Above the limit the view answers 503
with Retry-After.
"""

import gzip
import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from threading import BoundedSemaphore
from urllib.parse import quote

import msgspec
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from voting.metrics.metrics import count_refusal
from voting.models import Match
from voting.records.exports import MatchChanging, SidesStillSecret, export_match, find_match, record_version
from voting.terms import MatchState

MAX_CONCURRENT = 2
MAX_DOWNLOADS, MAX_BYTES = 200, 64 * 1024 * 1024
CHUNK_BYTES = 32 * 1024
GZIP_WINDOW = 16 + zlib.MAX_WBITS
CACHE_SIZE = 4
GZIP_LEVEL = 4
CACHE_MAX_AGE_S = 60


class ExportsBusy(Exception):
    """MAX_CONCURRENT exports are running."""


class Download(StreamingHttpResponse):
    """Streams a gzipped record in chunks, decompressed if its client doesn't accept gzip.

    A stream beyond MAX_DOWNLOADS or MAX_BYTES ends the one whose client has not read for the longest. That
    client gets a truncated record, and can try again.
    """

    def __init__(self, packed: bytes, *, compressed: bool) -> None:
        self._packed = packed
        self._chunks = self._stream(compressed)
        super().__init__(self._chunks, "application/json")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield chunk by chunk. Django would collect all chunks of a synchronous iterator first."""
        for chunk in self._chunks:
            yield chunk

    def _stream(self, compressed: bool) -> Iterator[bytes]:
        _downloads[self] = self._packed
        _end_stalled_downloads()
        try:
            for chunk in self._packed_chunks() if compressed else self._plain_chunks():
                yield chunk
                if self not in _downloads:
                    return
                _downloads.move_to_end(self)
        finally:
            _downloads.pop(self, None)

    def _packed_chunks(self) -> Iterator[bytes]:
        start = 0
        while chunk := self._packed[start : start + CHUNK_BYTES]:
            yield chunk
            start += CHUNK_BYTES

    def _plain_chunks(self) -> Iterator[bytes]:
        decompressor = zlib.decompressobj(GZIP_WINDOW)
        for chunk in self._packed_chunks():
            rest = chunk
            while plain := decompressor.decompress(rest, CHUNK_BYTES):
                yield plain
                rest = decompressor.unconsumed_tail

    def end(self) -> None:
        """End the stream after its current chunk, and free the record."""
        self._packed = b""


def _end_stalled_downloads() -> None:
    while len(_downloads) > MAX_DOWNLOADS or _bytes_in_flight() > MAX_BYTES:
        stalled, _ = _downloads.popitem(last=False)
        stalled.end()


def _bytes_in_flight() -> int:
    """Return the size of all records being downloaded, each counted once."""
    return sum(map(len, {id(packed): packed for packed in _downloads.values()}.values()))


export_slots = BoundedSemaphore(MAX_CONCURRENT)
_cache: dict[tuple[object, ...], bytes] = {}
# The downloads in progress, the one whose client has not read for the longest first.
_downloads: OrderedDict[Download, bytes] = OrderedDict()


@require_safe
def match_record(request: HttpRequest, code: str, number: int) -> HttpResponse | Download:
    """Serve a match record. Answers 503 when busy, 403 while sides are secret, and 404 without a match."""
    match = find_match(code, number)
    try:
        packed = load_packed_record(match) if match else None
    except (ExportsBusy, MatchChanging):
        return retry_later()
    except SidesStillSecret as refusal:
        return HttpResponse(f"Not available yet: {refusal}.\n", "text/plain", 403)
    if match is None or packed is None:
        return HttpResponse("There is no such match.\n", "text/plain", 404)
    return _record_response(request, match, packed)


def retry_later() -> HttpResponse:
    return HttpResponse(
        "The server is busy. Try again in a moment.\n", "text/plain", 503, headers={"Retry-After": "2"}
    )


def load_packed_record(match: Match) -> bytes | None:
    """Return the gzipped record, kept until the match continues, or None if the match is gone.

    Raises ExportsBusy, MatchChanging or SidesStillSecret.
    """
    if packed := _cache.get(record_version(match)):
        return packed
    if not export_slots.acquire(blocking=False):
        count_refusal("download")
        raise ExportsBusy
    try:
        exported = export_match(match.event.code, match.number)
    finally:
        export_slots.release()
    if exported is None:
        return None
    packed = gzip.compress(msgspec.json.encode(exported.record) + b"\n", GZIP_LEVEL)
    while len(_cache) >= CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[exported.version] = packed
    return packed


def _record_response(request: HttpRequest, match: Match, packed: bytes) -> Download:
    compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    answer = Download(packed, compressed=compressed)
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    over = match.state != MatchState.PLAYING
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}" if over else "no-cache"
    answer.headers["Access-Control-Allow-Origin"] = "*"
    name = quote(f"{match.event.code}-{match.number}.json")
    answer.headers["Content-Disposition"] = f'inline; filename="{name}"'
    patch_vary_headers(answer, ["Accept-Encoding"])
    return answer
