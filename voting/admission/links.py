"""Join links of an event, and their QR codes."""

from functools import lru_cache
from itertools import groupby
from typing import Any

import segno
from django.conf import settings


def base_url(scope: dict[str, Any]) -> str:
    """PUBLIC_URL, or the address in the request's Host header."""
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL)
    host = dict(scope["headers"]).get(b"host", b"localhost").decode("ascii", "replace")
    return f"{'https' if settings.HTTPS else 'http'}://{host}"


def display_address(url: str) -> str:
    """The URL without its scheme, as people type it."""
    return url.partition("://")[2]


def qr_path(url: str) -> tuple[int, str]:
    """A QR code to print: its modules per side, and its dark modules as the path data of an SVG."""
    symbol = segno.make_qr(url, error="m")
    runs = []
    for y, row in enumerate(symbol.matrix):
        x = 0
        for dark, run in groupby(row):
            length = len(list(run))
            if dark:
                runs.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return len(symbol.matrix), "".join(runs)


@lru_cache(64)
def qr_rows(url: str) -> tuple[str, ...]:
    """The rows of a QR code, `1` for a dark module.

    The URL is in upper case: that takes fewer modules, and the URL works in either case.
    """
    symbol = segno.make_qr(url.upper(), error="m")
    return tuple("".join("1" if module else "0" for module in row) for row in symbol.matrix)
