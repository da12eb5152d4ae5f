"""Run a slow command with a progress line, a log of its output and a one-line error message."""

import os
import re
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from crowdgame.server.laptop.die_with_parent import die_with_parent
from crowdgame.server.laptop.paths import LOGS, display_path
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from crowdgame.server.laptop.terminal import print_line, progress, replace_unencodable

FAILURE_REASONS = (
    (r"No space left on device|ENOSPC|(database or )?disk is full|Disk quota exceeded", "the disk is full"),
    (
        r"NewConnectionError|NameResolutionError|ConnectTimeout|Temporary failure in name resolution"
        r"|Temporary failure resolving|Network is unreachable|ERR_INTERNET|ENOTFOUND|EAI_AGAIN|ECONNREFUSED"
        r"|ENETUNREACH|ETIMEDOUT|ECONNRESET|dns error|client error \(Connect\)",
        "no network, or it blocks outgoing connections",
    ),
    (
        r"CommandError: (This data .*)\.",
        r"\1",
    ),
    (
        r"DO NOT MATCH THE HASHES|Hash mismatch|EINTEGRITY",
        "a download does not match its hash in the lock file",
    ),
)
TAIL_LINES = 400
TERMINATE_TIMEOUT_S = 2
POLL_S = 0.1


class StepFailed(Exception):
    """The message is one line for the user: what failed, why if known, and which log to read."""


@dataclass(frozen=True)
class Step:
    """A command to run. `log` is the name of its log file in `logs`, without suffix.

    The output of a step that `is_secret` is logged only if the step fails.
    """

    title: str
    argv: Sequence[str | Path]
    log: str
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    logs: Path = LOGS
    is_secret: bool = False


_running: set["subprocess.Popen[str]"] = set()


def run_command(work: Callable[[], object]) -> int:
    """Do a command's `work`. Prints a line for StepFailed and OSError. Returns the command's exit status."""
    replace_unencodable()
    interrupt_on_signals()
    try:
        work()
    except (StepFailed, OSError) as failure:
        print_line(error_line(failure))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def error_line(failure: StepFailed | OSError) -> str:
    if isinstance(failure, OSError):
        where = f": {failure.filename}" if failure.filename else ""
        return f"✗ {failure.strerror or failure}{where}"
    return f"✗ {failure}"


def run(step: Step) -> str:
    """Run `step` with its output in the log. Returns the last TAIL_LINES lines. Raises StepFailed."""
    log = step.logs / f"{step.log}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with progress(step.title):
        code, tail = _run(step, log)
        if step.is_secret:
            log.write_text(tail if code else "", encoding="utf-8")
        if code:
            raise StepFailed(f"{step.title}: {_reason(tail, code)} (see {display_path(log)})")
    return tail


def _run(step: Step, log: Path) -> tuple[int, str]:
    process = subprocess.Popen(
        die_with_parent([str(part) for part in step.argv]),
        cwd=step.cwd,
        env={**os.environ, **step.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        encoding="utf-8",
        errors="replace",
    )
    _running.add(process)
    try:
        tail = _copy(process, Path(os.devnull) if step.is_secret else log)
        return process.wait(), tail
    finally:
        _end_group(process)
        _running.discard(process)


@contextmanager
def in_background(work: Callable[[], object]) -> Iterator[None]:
    """Run the steps of `work` beside those of the block. Raises what either raises, and ends the other."""
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(work)
        try:
            yield
            pending.result()
        except BaseException:
            while not pending.done():
                for process in set(_running):
                    _end_group(process)
                wait([pending], POLL_S)
            raise


def _copy(process: "subprocess.Popen[str]", log: Path) -> str:
    """Copy the output to the log and return its tail.

    The tail is kept in memory: on a full disk the log could not hold the error about the full disk.
    """
    tail: deque[str] = deque(maxlen=TAIL_LINES)
    with log.open("w", encoding="utf-8", buffering=1) as file:
        for line in process.stdout or ():
            tail.append(line)
            file.write(line)
    return "".join(tail)


def _end_group(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):  # it just ended
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(TERMINATE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _reason(tail: str, code: int) -> str:
    for pattern, reason in FAILURE_REASONS:
        if match := re.search(pattern, tail):
            return match.expand(reason)
    return f"failed with exit status {code}"
