"""Cores, and what processes have used of them."""

import os
import platform
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version

import psutil

LIBRARIES = (
    "daphne",
    "autobahn",
    "twisted",
    "uvicorn",
    "uvloop",
    "websockets",
    "picows",
    "channels",
    "channels-redis",
    "django",
    "redis",
    "msgspec",
)
OF_A_PROCESS = 2  # as clock_getcpuclockid(3) makes the number of a process's clock


def cores() -> tuple[int, ...]:
    """The cores that this process may use; one stands for all where the system does not tell."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (0,)


def pin(pid: int, *on: int) -> None:
    """Keep a process, with all its threads and what it starts from now on, on these cores."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for thread in psutil.Process(pid).threads():
        with suppress(ProcessLookupError):  # it has ended meanwhile
            os.sched_setaffinity(thread.id, on)


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """Keep this process, and what it starts meanwhile, on one core."""
    before = cores()
    pin(os.getpid(), core)
    try:
        yield
    finally:
        pin(os.getpid(), *before)


def allow_files(count: int) -> None:
    """So many sockets, here and in what is started from now on. Raises SystemExit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise SystemExit(f"this needs {count:,} open files a process, the limit here is {hard:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def with_children(pid: int) -> tuple[int, ...]:
    """A process and all that it has started, as they are now."""
    return (pid, *(child.pid for child in psutil.Process(pid).children(recursive=True)))


def rss(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


def open_files(pid: int) -> int:
    return int(psutil.Process(pid).num_fds())


def cpu_s(pid: int) -> float:
    """Of all its threads, those that have ended too: by the kernel's nanoseconds, elsewhere in ticks."""
    if sys.platform == "linux":
        return time.clock_gettime(~pid << 3 | OF_A_PROCESS)
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
    """Wall time, the CPU seconds of some processes and this process's own, from the making on."""

    pids: Sequence[int]

    def __post_init__(self) -> None:
        self._wall, self._cpu, self._own = time.perf_counter(), self._used(), time.process_time()

    def _used(self) -> dict[int, float]:
        return {pid: cpu_s(pid) for pid in self.pids}

    @property
    def wall_s(self) -> float:
        return time.perf_counter() - self._wall

    @property
    def own_s(self) -> float:
        return time.process_time() - self._own

    def cpu_s(self, pids: Sequence[int] | None = None) -> float:
        """Of these among its processes; of all of them by default."""
        now = self._used()
        return sum(now[pid] - self._cpu[pid] for pid in (self.pids if pids is None else pids))
