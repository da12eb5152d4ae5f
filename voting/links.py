"""The address that people join at, and its QR symbol."""

from functools import lru_cache
from typing import Any

import segno
from django.conf import settings


def base_url(scope: dict[str, Any]) -> str:
    """PUBLIC_URL, or the address by which the asker came."""
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL)
    host = dict(scope["headers"]).get(b"host", b"localhost").decode("ascii", "replace")
    return f"{'https' if settings.HTTPS else 'http'}://{host}"


def join_url(code: str, scope: dict[str, Any]) -> str:
    return f"{base_url(scope)}/{code}"


@lru_cache(64)
def qr_rows(url: str) -> tuple[str, ...]:
    """Rows of the QR symbol, `1` a dark module. Upper case needs fewer modules and means the same."""
    symbol = segno.make_qr(url.upper(), error="m")
    return tuple("".join("1" if module else "0" for module in row) for row in symbol.matrix)
