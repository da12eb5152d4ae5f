"""What of a test's processes is still there."""

import time
from collections.abc import Callable
from pathlib import Path

import psutil


def marked(folder: Path) -> list[psutil.Process]:
    """The living processes that name `folder` in their command line or their environment."""
    return [process for process in psutil.process_iter() if _names(process, str(folder))]


def _names(process: psutil.Process, text: str) -> bool:
    try:
        told = [*process.cmdline(), *process.environ().values()]
        return process.status() != psutil.STATUS_ZOMBIE and any(text in part for part in told)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def wait_until(holds: Callable[[], object], within_s: float = 10) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)
