"""The data disk is full for a while.

It must be a separate disk (see `small_disk`), so that no other data is at risk.
"""

import errno
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.chaos.faults import Fault, NotApplicable, Span
from tests.chaos.target import Target

FREED_WAIT_S = 0.1  # other processes free some space meanwhile, which is filled, too
FULL_S: Span = (5.0, 8.0)


def fill_disk(target: Target, rng: Random) -> None:
    ballast = target.stack.data / "ballast"
    disk = os.statvfs(target.stack.data)
    if not os.path.ismount(target.stack.data) or disk.f_frsize * disk.f_blocks > 512 * 1024 * 1024:
        raise NotApplicable("the data is not on a small disk of its own")
    try:
        until = time.monotonic() + rng.uniform(*FULL_S)
        while time.monotonic() < until:
            fill(ballast)
            time.sleep(FREED_WAIT_S)
    finally:
        ballast.unlink(missing_ok=True)


def fill(ballast: Path) -> None:
    piece = bytes(65_536)
    with ballast.open("ab", buffering=0) as file:
        while piece:
            try:
                file.write(piece)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                piece = piece[: len(piece) // 2]


@contextmanager
def small_disk(folder: Path, megabytes: int = 24) -> Iterator[Path]:
    """Mount an in-memory disk at `folder`. Raises CalledProcessError without permission."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


FAULTS = (Fault("disk full", fill_disk),)
