"""An exclusive lock file (flock). The kernel releases it when its holder's process ends."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from crowdgame.server.laptop.terminal import progress


class LockTaken(Exception):
    """Another process holds the lock."""


@contextmanager
def hold_lock(path: Path, *, waiting: str = "") -> Iterator[None]:
    """Hold the lock at `path`. If it is taken, show "waiting for `waiting`" until it is released.

    Raises LockTaken if it is taken and `waiting` is empty.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _wait(file, waiting)
        yield


def _wait(file: IO[str], waiting: str) -> None:
    if not waiting:
        raise LockTaken(file.name)
    with progress(f"waiting for {waiting}"):
        fcntl.flock(file, fcntl.LOCK_EX)
