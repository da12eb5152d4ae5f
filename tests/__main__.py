"""`make test`: run the suite part by part, then print one summary. Exit status 1 if any part failed.

python -m tests             the tests of each change
python -m tests --nightly   every test, with more examples of each property
python -m tests -k tally    selected tests, with any options of pytest

A failure is printed at once, and the other parts still run. Up to MAX_RETRIED failed tests of a part run once
more; the summary lists those that then pass, to be repaired.

Ctrl-C, SIGTERM and SIGHUP end every process of the run and print the summary so far. Exit status 130.
"""

import ctypes
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from crowdgame.server.laptop.stop_signals import SIGNALS, interrupt
from tests.run_folder import run_folder
from tests.signals import reset_for_children

# Each process takes one file at a time, the slowest first (see conftest.py). Tests wait for a third of their
# time, so three processes are faster than two, even on two cores. One of them takes all tests of the stack.
BY_FILE = ("--dist", "loadfile", "--no-loadscope-reorder", "--numprocesses", "3")
IN_BROWSERS = (*BY_FILE, "--numprocesses", "4")  # they wait for half of their time
BY_GROUP = ("-p", "tests.scheduling", *BY_FILE)
# Run by `make test-deploy` and `make test-openspiel`, which install more programs.
ELSEWHERE = ("tests/machines", "tests/openspiel")
# Tests without servers run first: they need few imports, so the first results appear within seconds.
CORE = ("tests/games", "tests/voting/counting", "tests/design")
NEED_THE_WHOLE_MACHINE = ("tests/load", "tests/hardening/test_fuzz.py")
# What visitors do, once. The other browser tests run nightly: more states, sizes and languages of the pages.
JOURNEYS = tuple(
    f"tests/e2e/{name}.py"
    for name in (
        *("accounts/test_accounts", "test_analysis_board", "test_console", "test_duel_actions"),
        *("test_full_match", "test_joining", "test_page_size", "test_particles", "test_receipt_checks"),
        *("test_reconnecting", "test_verify_page"),
    )
)


def without(*paths: str) -> tuple[str, ...]:
    return tuple(f"--ignore={path}" for path in (*ELSEWHERE, *paths))


# Browser tests need a separate process: Playwright's event loop blocks database access of other tests.
PARTS = {
    "core": (*CORE, *BY_FILE),
    "unit and integration": (*without("tests/e2e", *CORE), *BY_GROUP),
    "browser": (*JOURNEYS, *IN_BROWSERS),
}
NIGHTLY_PARTS = {
    "core": (*CORE, *BY_FILE),
    "unit and integration": (*without("tests/e2e", *CORE, *NEED_THE_WHOLE_MACHINE), *BY_GROUP),
    "load and fuzz": NEED_THE_WHOLE_MACHINE,
    "browser": ("tests/e2e", *IN_BROWSERS),
}
EACH_CHANGE = ("-m", "not nightly")
NIGHTLY = ("--hypothesis-profile=nightly",)
PLUGINS = ("-p", "tests.failures", "-p", "no:cov", "--no-summary")
MAX_RETRIED = 2
LAST_FAILED = ("--last-failed", "--last-failed-no-failures=none")
TESTS_FAILED, INTERRUPTED = 1, 130
PR_SET_CHILD_SUBREAPER = 36


class Run:
    """A run of the suite: its exit status so far, a line for each part, and the processes that it started.

    On Linux this process adopts the children of processes that end, so none of them gets out of reach.
    """

    def __init__(self) -> None:
        self.status = 0
        self.summary: list[str] = []
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)

    def run_part(self, part: str, *selection: str, max_retried: int = 0) -> None:
        print(f"\n{part}", flush=True)
        began, cache = time.monotonic(), run_folder() / part
        status, ended = INTERRUPTED, "interrupted"
        try:
            status = self._run_pytest(cache, *selection)
            failed, ended = last_failed(cache), f"pytest ended with status {status}"
            if status == TESTS_FAILED and len(failed) <= max_retried:
                status = self._run_pytest(cache, *LAST_FAILED, *selection)
                ended = ended if status else "passed, some only on the second try"
            elif not status:
                ended = "passed"
            ended += "".join(f"\n    {name}" for name in failed)
        finally:
            self.status = self.status or status
            minutes, seconds = divmod(round(time.monotonic() - began), 60)
            self.summary.append(f"{'✗' if status else '✓'} {part} in {minutes}:{seconds:02}: {ended}")

    def _run_pytest(self, cache: Path, *arguments: str) -> int:
        argv = [sys.executable, "-m", "pytest", *PLUGINS, "-o", f"cache_dir={cache}", *arguments]
        status = subprocess.run(argv, check=False).returncode
        if left := kill_descendants():
            print("Killed processes that the tests left running:", *left, sep="\n    ", flush=True)
        return status


def last_failed(cache: Path) -> list[str]:
    """The tests that failed in pytest's last run with this cache."""
    path = cache / "v" / "cache" / "lastfailed"
    return list(json.loads(path.read_text())) if path.exists() else []


def kill_descendants() -> list[str]:
    """Kill all descendants; return the command lines of those that were still running."""
    running: dict[int, str] = {}
    while children := psutil.Process().children(recursive=True):
        for child in children:
            with suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    running.setdefault(child.pid, " ".join(child.cmdline())[:100])
                    child.kill()
        psutil.wait_procs(children, 5)
    return list(running.values())


def main(arguments: Sequence[str]) -> int:
    reset_for_children()
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # set by nohup
            signal.signal(number, interrupt)
    run, nightly = Run(), arguments == ["--nightly"]
    try:
        if arguments and not nightly:
            run.run_part("selected tests", *without(), *arguments)
        else:
            for part, selection in (NIGHTLY_PARTS if nightly else PARTS).items():
                options = NIGHTLY if nightly else EACH_CHANGE
                run.run_part(part, *options, *selection, max_retried=MAX_RETRIED)
    except KeyboardInterrupt:
        run.status = INTERRUPTED
    kill_descendants()
    print("", *run.summary, sep="\n", flush=True)
    return run.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
