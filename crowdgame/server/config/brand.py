"""The logo of events that have none of their own."""

import hashlib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def default_logo(path: str) -> tuple[str, str]:
    """Return the file and its key in URLs, which is the same on all machines."""
    if not path:
        return "", ""
    file = Path(path)
    if not file.is_file():
        raise ImproperlyConfigured(
            f"BRAND_LOGO must be the path of a PNG, JPEG or WebP file. It is {path!r}."
        )
    return path, hashlib.sha256(file.read_bytes()).hexdigest()[:32]
