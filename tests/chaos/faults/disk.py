"""The data disk is full for a while.

It must be a separate small disk (see `tests.chaos.disks`), so that no other data is at risk.
"""

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.chaos.faults import Fault, NotApplicable, Span
from tests.chaos.target import Target

MOST_BYTES = 512 * 1024 * 1024
PIECE = bytes(65_536)
FREED_WAIT_S = 0.1  # other processes free some space meanwhile, which is filled, too
FULL_S: Span = (5.0, 8.0)


@dataclass(frozen=True)
class DiskFull:
    """Fill the disk to the last byte, then free it."""

    name: str = "disk full"

    def inject(self, target: Target, rng: Random) -> None:
        ballast = target.data / "ballast"
        if not os.path.ismount(target.data) or _size(target.data) > MOST_BYTES:
            raise NotApplicable("the data is not on a small disk of its own")
        try:
            until = time.monotonic() + rng.uniform(*FULL_S)
            while time.monotonic() < until:
                fill(ballast)
                time.sleep(FREED_WAIT_S)
        finally:
            ballast.unlink(missing_ok=True)


def fill(ballast: Path) -> None:
    """Write until the disk is full."""
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
