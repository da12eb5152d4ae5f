"""The disk that the house keeps its data on is full for a while.

It has to be a small one of its own (see `tests.chaos.disks`): nobody's other data is in danger.
"""

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.chaos.faults import Fault, NotHere, Span
from tests.chaos.target import Target

MOST_BYTES = 512 * 1024 * 1024
PIECE = bytes(65_536)
FREED_WAIT_S = 0.1  # others let go of some space in it, which is taken, too
FULL_S: Span = (5.0, 8.0)


@dataclass(frozen=True)
class DiskFull:
    """Filled to the last byte; then there is space again."""

    name: str = "the disk full"

    def inject(self, target: Target, rng: Random) -> None:
        ballast = target.data / "ballast"
        if not os.path.ismount(target.data) or _size(target.data) > MOST_BYTES:
            raise NotHere("the data is on no small disk of its own")
        try:
            until = time.monotonic() + rng.uniform(*FULL_S)
            while time.monotonic() < until:
                fill(ballast)
                time.sleep(FREED_WAIT_S)
        finally:
            ballast.unlink(missing_ok=True)


def fill(ballast: Path) -> None:
    """Until nothing more goes on the disk."""
    piece = PIECE
    with ballast.open("ab", buffering=0) as file:
        while piece:
            try:
                file.write(piece)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                piece = piece[: len(piece) // 2]


def _size(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_frsize * disk.f_blocks


FAULTS: tuple[Fault, ...] = (DiskFull(),)
