"""Django's SECRET_KEY for `make play`: created once, kept in the data directory."""

import os
import secrets
from pathlib import Path

SECRET_BYTES = 48


def load_secret_key(data: Path) -> str:
    """Return the key in `data`/secret. Creates it if missing, readable by its owner only."""
    path = data / "secret"
    if not path.exists():
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(SECRET_BYTES))
        unfinished.rename(path)
    return path.read_text()
