"""Cores, and what a process has used of them."""

import os
import platform
import time
from dataclasses import dataclass
from importlib.metadata import version

import psutil

LIBRARIES = ("daphne", "autobahn", "twisted", "channels", "channels-redis", "django", "redis", "msgspec")


def cores() -> tuple[int, ...]:
    """The cores that this process may use; one stands for all where the system does not tell."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (0,)


def pin(pid: int, core: int) -> None:
    """Keep a process, with all its threads, on one core."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for thread in psutil.Process(pid).threads():
        os.sched_setaffinity(thread.id, {core})


def rss(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


def cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def about() -> dict[str, str]:
    """What a figure of this run depends on."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "cores": str(len(cores())),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": libraries,
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


@dataclass
class Stopwatch:
    """Wall time, a server's CPU seconds and this process's own, from the making on."""

    pid: int

    def __post_init__(self) -> None:
        self._wall, self._cpu, self._own = time.perf_counter(), cpu_s(self.pid), time.process_time()

    @property
    def wall_s(self) -> float:
        return time.perf_counter() - self._wall

    @property
    def cpu_s(self) -> float:
        return cpu_s(self.pid) - self._cpu

    @property
    def own_s(self) -> float:
        return time.process_time() - self._own
