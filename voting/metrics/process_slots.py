"""Process slots for Prometheus' multiprocess files: each process that counts holds one while it lives.

Files named by process id would pile up if a process kept crashing, and the system reuses ids. A slot is a
number and a file lock (flock). The lock ends with its process, however that ends, and the next process that
takes the slot continues its counters.
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
    """The slots in a folder. A process takes one when it first calls `mine`, also after a fork."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._mine: str | None = None
        self._lock = -1
        os.register_at_fork(after_in_child=self._leave)

    def mine(self) -> str:
        """The slot of this process. Takes the lowest free one on the first call."""
        if self._mine is None:
            self._mine = next(str(slot) for slot in count() if self._take(str(slot)))
        return self._mine

    def held(self) -> dict[str, str]:
        """Map each slot in use to the id of its process."""
        return dict(self._held())

    def _take(self, slot: str) -> bool:
        """Try to lock a slot. Returns whether it was free. Deletes the live gauges of its last process."""
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
        """Drop the slot after a fork: the child would share its parent's lock."""
        if self._mine is not None:
            os.close(self._lock)
            self._mine = None

    def _held(self) -> Iterator[tuple[str, str]]:
        for path in self._folder.glob("*" + LOCK):
            with path.open() as lock:
                if not _locks(lock.fileno(), fcntl.LOCK_SH):
                    yield path.stem, lock.read().strip()


def _locks(lock: int, kind: int) -> bool:
    """Try to lock a file without waiting. Returns whether it succeeded."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
