"""Find the processes that a test started, wait for them, and run `crowdgame play` as its user does."""

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK, free_port

START_S = 300


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


@dataclass(frozen=True)
class Play:
    process: psutil.Popen
    output: Path
    port: int

    @property
    def said(self) -> str:
        return self.output.read_text()

    @property
    def links(self) -> dict[str, str]:
        return dict(re.findall(r"^  (\w+) +(http\S+)$", self.said, re.MULTILINE))


@contextmanager
def playing(
    program: Sequence[str | Path], data: Path, *options: str, env: Mapping[str, str]
) -> Iterator[Play]:
    """Run `play` with its data in `data` until the end of the block, then press Ctrl-C.

    Yields once the addresses are printed. The output is in the file `said` beside the data.
    """
    port, output = free_port(), data.parent / "said"
    argv = [*program, "--data", data, "play", "--host", LOOPBACK, "--port", str(port), *options]
    with (
        output.open("w") as file,
        psutil.Popen(
            argv, cwd=data.parent, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        ) as process,
    ):
        play = Play(process, output, port)
        try:
            wait_until(lambda: "Ctrl-C" in play.said or process.poll() is not None, START_S)
            assert process.poll() is None, play.said
            yield play
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
    assert not marked(data)
