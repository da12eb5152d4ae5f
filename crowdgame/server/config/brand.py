"""Files of the installation: the logo of events that have none of their own, and the music of lobbies."""

import hashlib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def default_logo(path: str) -> tuple[str, str]:
    """Return the file and its key in URLs, which is the same on all machines."""
    if not path:
        return "", ""
    _require_file("BRAND_LOGO", path, "a PNG, JPEG or WebP file")
    return path, hashlib.sha256(Path(path).read_bytes()).hexdigest()[:32]


def lobby_music(path: str) -> str:
    """Return the path of the audio file, or an empty string."""
    if path:
        _require_file("LOBBY_MUSIC", path, "an audio file")
    return path


def _require_file(name: str, path: str, kind: str) -> None:
    if not Path(path).is_file():
        raise ImproperlyConfigured(f"{name} must be the path of {kind}. It is {path!r}.")
