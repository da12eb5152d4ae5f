"""A process supervisor: restarts children with exponential backoff and stops them together.

Every child has its own process group, log file and waiting thread. When the supervisor's process ends,
even by SIGKILL, its children end with it (see `die_with_parent`).
"""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Self

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.paths import display_path

MIN_RESTART_DELAY_S = 0.2
MAX_RESTART_DELAY_S = 5.0
STABLE_AFTER_S = 10.0
STOP_TIMEOUT_S = 4.0
MAX_LOG_BYTES = 2_000_000


@dataclass(frozen=True)
class Child:
    """A program to keep running, at the CPU priority `nice`. A lower `stop_order` is stopped first.

    The child inherits `listener` under the same file descriptor. After a crash, new connections wait in its
    backlog for the restart. A gateway that shuts down gracefully instead sends them to the other gateways
    on the port, or refuses them if it is the only one.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    stop_order: int = 0
    nice: int = 0
    listener: socket.socket | None = None


def open_log(path: Path) -> IO[bytes]:
    """Open `path` for appending. A file over MAX_LOG_BYTES is first renamed to `<name>.log.1`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(path.with_name(f"{path.name}.1"))
    return path.open("ab")


def next_delay(delay: float, lived: float) -> float:
    """Return the restart delay in seconds of a child that ran for `lived` s after a delay of `delay` s.

    The delay doubles up to MAX_RESTART_DELAY_S. It is reset once a child has run for STABLE_AFTER_S.
    """
    is_first = lived >= STABLE_AFTER_S or not delay
    return MIN_RESTART_DELAY_S if is_first else min(2 * delay, MAX_RESTART_DELAY_S)


class _ChildMonitor:
    def __init__(self, child: Child, log: Path, say: Callable[[str], None]) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.deaths = 0
        self.log = log
        self._say = say
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._keep_running, name=child.name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Send SIGTERM to the child and do not restart it."""
        with self._starting:
            self._stopping.set()
        self.signal(signal.SIGTERM)

    def signal(self, number: int) -> None:
        if process := self.process:
            process.send_signal(number)

    def kill_group(self) -> None:
        if process := self.process:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        if self.child.listener is not None:
            self.child.listener.close()

    def join(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds; return whether the child has ended and will not be restarted."""
        self._thread.join(max(timeout, 0))
        return not self._thread.is_alive()

    def _keep_running(self) -> None:
        delay = 0.0
        while True:
            began = time.monotonic()
            ended = self._run_once()
            if self._stopping.is_set():
                return
            self.deaths += 1
            delay = next_delay(delay, time.monotonic() - began)
            self._say(f"{self.child.name} {ended}; restarting in {delay:g} s ({display_path(self.log)})")
            if self._stopping.wait(delay):
                return

    def _run_once(self) -> str:
        """Start the child, wait for its end and return how it ended, as words for the log line."""
        try:
            process = self._spawn()
        except OSError as failure:
            return f"could not start: {failure.strerror}"
        if process is None:
            return "was not started"
        code = process.wait()
        self.kill_group()  # its own children that are still running
        self.process = None
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with status {code}"

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        with self._starting, open_log(self.log) as log:
            if self._stopping.is_set():
                return None
            self.process = subprocess.Popen(
                die_with_parent(list(self.child.argv), self.child.nice),
                env={**os.environ, **self.child.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,  # not a session of its own: Linux may compare nice values only within one
                pass_fds=(self.child.listener.fileno(),) if self.child.listener else (),
            )
            return self.process


class Supervisor:
    """A context manager that stops every child on exit. `say` receives a line for each child that dies."""

    def __init__(self, logs: Path, say: Callable[[str], None] = print) -> None:
        self._logs = logs
        self._say = say
        self._monitors: dict[str, _ChildMonitor] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, *children: Child) -> None:
        for child in children:
            watch = _ChildMonitor(child, self._logs / f"{child.name}.log", self._say)
            self._monitors[child.name] = watch
            watch.start()

    def pid(self, name: str) -> int | None:
        """Return the current process ID of a child; None while it is not running."""
        process = self._monitors[name].process
        return process.pid if process else None

    def deaths(self, name: str) -> int:
        """Return how often a child has ended, or could not be started, before `stop`."""
        return self._monitors[name].deaths

    def log(self, name: str) -> Path:
        """Return the log file of a child."""
        return self._monitors[name].log

    def stop(self, within_s: float = STOP_TIMEOUT_S) -> None:
        """Send SIGTERM to all children in `stop_order`; after `within_s` seconds send SIGKILL to the rest."""
        deadline = time.monotonic() + within_s
        watches = sorted(self._monitors.values(), key=attrgetter("child.stop_order"))
        orders = [list(group) for _, group in groupby(watches, key=attrgetter("child.stop_order"))]
        for rank, group in enumerate(orders, start=1):
            self._stop_group(group, deadline - within_s * (len(orders) - rank) / 4)
        self.kill()
        for watch in watches:
            watch.join(1)
            watch.close()

    def kill(self) -> None:
        """Send SIGKILL to every child's process group."""
        for watch in list(self._monitors.values()):
            watch.kill_group()

    def _stop_group(self, group: list[_ChildMonitor], deadline: float) -> None:
        for watch in group:
            watch.stop()
        for watch in group:
            watch.join(deadline - time.monotonic())
