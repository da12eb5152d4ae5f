"""CPU cores, the processes of a running stack, and the resources that they use."""

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version

import psutil

from crowdgame.server.laptop.paths import ROOT
from tests.server import Server

COMMIT = ("git", "describe", "--always", "--dirty")
LIBRARIES = (
    *("daphne", "autobahn", "twisted", "uvicorn", "uvloop", "websockets", "picows"),
    *("channels", "channels-redis", "django", "redis", "msgspec"),
)
DEPENDENCIES = ("valkey", "worker", "scheduler-1", "scheduler-2")
OF_A_PROCESS = 2  # clock_getcpuclockid(3) builds the id of a process's clock this way


def cores() -> tuple[int, ...]:
    """The cores that this process may use; one core where the system does not say."""
    return tuple(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else (0,)


def pin(pid: int, *on: int) -> None:
    """Pin a process, its threads and its future children to these cores."""
    if not hasattr(os, "sched_setaffinity"):
        return
    for thread in psutil.Process(pid).threads():
        with suppress(ProcessLookupError):  # the thread has ended meanwhile
            os.sched_setaffinity(thread.id, on)


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """Pin this process and its new children to one core."""
    before = cores()
    pin(os.getpid(), core)
    try:
        yield
    finally:
        pin(os.getpid(), *before)


def give_way() -> None:
    """Use only the processor time that no other process wants, as a client on another machine would."""
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def allow_files(count: int) -> None:
    """Allow this many open files, here and in new child processes. Raises SystemExit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise SystemExit(f"this needs {count:,} open files a process, the limit here is {hard:,}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def processes(server: Server) -> dict[str, tuple[int, ...]]:
    """Each child of the supervisor, with its own current descendants."""
    found: dict[str, tuple[int, ...]] = {}
    for name in (*server.stack.gateway_names, *DEPENDENCIES):
        parent = psutil.Process(server.supervisor.pid(name) or 0)
        found[name] = (parent.pid, *(child.pid for child in parent.children(recursive=True)))
    return found


def gateways(server: Server) -> tuple[int, ...]:
    return tuple(pids[0] for name, pids in processes(server).items() if name not in DEPENDENCIES)


def rss(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


def open_files(pid: int) -> int:
    return int(psutil.Process(pid).num_fds())


def cpu_s(pid: int) -> float:
    """CPU seconds of all threads, also ended ones; in nanoseconds on Linux, elsewhere in ticks."""
    if sys.platform == "linux":
        return time.clock_gettime(~pid << 3 | OF_A_PROCESS)
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def describe_machine() -> dict[str, str]:
    """The environment that the results depend on."""
    commit = subprocess.run(COMMIT, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "commit": commit or "unknown",
        "cores": str(len(cores())),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": libraries,
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


@dataclass
class Stopwatch:
    """Wall time and CPU seconds of some processes and of this one, since its creation."""

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
        """CPU seconds of these processes, or of all by default."""
        now = self._used()
        return sum(now[pid] - self._cpu[pid] for pid in (self.pids if pids is None else pids))
