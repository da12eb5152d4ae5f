"""Find the processes that a test started, and wait for them."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
from redis import Redis, RedisError


def marked(folder: Path) -> list[psutil.Process]:
    """The running processes with `folder` in their command line or environment."""
    return [process for process in psutil.process_iter() if _names(process, str(folder))]


def _names(process: psutil.Process, text: str) -> bool:
    try:
        texts = [*process.cmdline(), *process.environ().values()]
        return process.status() != psutil.STATUS_ZOMBIE and any(text in part for part in texts)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def handles_sigterm(pid: int) -> bool:
    """Whether the process already catches or ignores SIGTERM."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        masks = [line.split()[1] for line in status if line.startswith(("SigCgt", "SigIgn"))]
    return any(int(mask, 16) & 1 << (signal.SIGTERM - 1) for mask in masks)


def are_ready(folder: Path, count: int) -> bool:
    """Whether `count` processes are marked, and those meant to handle SIGTERM already do."""
    living = marked(folder)
    handlers = [process for process in living if "SIGTERM" in " ".join(process.cmdline())]
    return len(living) == count and all(handles_sigterm(process.pid) for process in handlers)


def becomes_true(holds: Callable[[], object], within_s: float, every_s: float = 0.02) -> bool:
    """Poll until `holds()` is true; return False after `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(every_s)
    return True


def wait_until(holds: Callable[[], object], within_s: float = 90) -> None:
    assert becomes_true(holds, within_s), "the condition did not become true in time"


def answers(url: str) -> bool:
    """Whether a Valkey answers within a second."""
    with Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1) as redis:
        try:
            return bool(redis.ping())
        except RedisError:
            return False
