"""Join links of an event, and their QR codes."""

from functools import lru_cache
from typing import Any

import segno
from django.conf import settings
from segno.utils import matrix_to_lines  # type: ignore[attr-defined]  # missing in its stubs


def base_url(scope: dict[str, Any]) -> str:
    """PUBLIC_URL, or the address in the request's Host header."""
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL)
    host = dict(scope["headers"]).get(b"host", b"localhost").decode("ascii", "replace")
    return f"{'https' if settings.HTTPS else 'http'}://{host}"


def display_address(url: str) -> str:
    """The URL without its scheme, as people type it."""
    return url.partition("://")[2]


def qr_lines(url: str) -> tuple[int, list[tuple[int, int, int]]]:
    """A QR code to print: its modules per side, and its lines of dark modules as x, y and length."""
    matrix = segno.make_qr(url, error="m").matrix
    return len(matrix), [(x, y, end - x) for (x, y), (end, _) in matrix_to_lines(matrix, 0, 0)]


def qr_path(url: str) -> tuple[int, str]:
    """A QR code to print: its modules per side, and its dark modules as the path data of an SVG."""
    size, lines = qr_lines(url)
    return size, "".join(f"M{x} {y}h{length}v1h-{length}z" for x, y, length in lines)


@lru_cache(256)
def qr_rows(url: str) -> tuple[str, ...]:
    """The rows of a QR code, `1` for a dark module.

    The URL is in upper case: that takes fewer modules, and the URL works in either case.
    """
    symbol = segno.make_qr(url.upper(), error="m")
    return tuple("".join("1" if module else "0" for module in row) for row in symbol.matrix)


def team_qr_rows(url: str, key: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The rows of both teams' QR codes. `url` is the event's, and `key` goes into the fragment."""
    fragment = f"#{key}" if key else ""
    return qr_rows(f"{url}/1{fragment}"), qr_rows(f"{url}/2{fragment}")
