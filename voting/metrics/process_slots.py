"""Places in the folder of a machine's figures: each process that counts has one, as long as it lives.

Named by process ids, the files of a process that crashes again and again would grow without end, and an id
is soon somebody else's. A place is a number and a lock; the lock ends with its process, however that ends,
and whoever comes next counts on from there.
"""

import fcntl
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

LOCK = ".lock"
LIVE_FILES = "gauge_live*_{slot}.db"
LONGEST_ID = 20


class ProcessSlots:
    """The places in a folder, of which this process takes one when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._mine: str | None = None
        self._lock = -1
        os.register_at_fork(after_in_child=self._leave)

    def mine(self) -> str:
        """The place of this process."""
        if self._mine is None:
            self._mine = next(str(slot) for slot in count() if self._take(str(slot)))
        return self._mine

    def held(self) -> dict[str, str]:
        """Who is where: a process's id by its place."""
        return dict(self._held())

    def _take(self, slot: str) -> bool:
        """Whether it was free. What the last to have it held is not held any more."""
        lock = os.open(self._folder / (slot + LOCK), os.O_RDWR | os.O_CREAT, 0o644)
        if not _locks(lock, fcntl.LOCK_EX):
            os.close(lock)
            return False
        for path in self._folder.glob(LIVE_FILES.format(slot=slot)):
            path.unlink(missing_ok=True)
        os.pwrite(lock, str(os.getpid()).ljust(LONGEST_ID).encode(), 0)
        self._lock = lock
        return True

    def _leave(self) -> None:
        """A child of this process would hold the same lock."""
        if self._mine is not None:
            os.close(self._lock)
            self._mine = None

    def _held(self) -> Iterator[tuple[str, str]]:
        for path in self._folder.glob("*" + LOCK):
            with path.open() as lock:
                if not _locks(lock.fileno(), fcntl.LOCK_SH):
                    yield path.stem, lock.read().strip()


def _locks(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
