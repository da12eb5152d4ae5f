"""The secret key of this folder's own event nights: made once, kept with the data."""

import os
import secrets
from pathlib import Path

SECRET_BYTES = 48


def load_secret_key(data: Path) -> str:
    """The key kept in `data`, readable by its owner alone; made if there is none."""
    path = data / "secret"
    if not path.exists():
        unfinished = path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(SECRET_BYTES))
        unfinished.rename(path)
    return path.read_text()
