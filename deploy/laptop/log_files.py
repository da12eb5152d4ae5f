"""Log files of the supervised processes, rotated by size."""

from pathlib import Path
from typing import IO

MAX_LOG_BYTES = 2_000_000


def open_log(path: Path) -> IO[bytes]:
    """Open `path` for appending. A file over MAX_LOG_BYTES is first renamed to `<name>.log.1`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return path.open("ab")
