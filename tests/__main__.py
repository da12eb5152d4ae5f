"""`make test`: run the suite part by part, then print one summary. Exit status 1 if any part failed.

python -m tests             the tests of each change
python -m tests --nightly   every test, with more examples of each property
python -m tests -k tally    selected tests, with any options of pytest

A failure is printed at once, and the other parts still run. Up to MAX_RETRIED failed tests of a part run once
more, alone; the summary lists those that then pass, to be repaired. A test that takes longer than MAX_TEST_S
seconds (environment) fails the run, unless it is marked `nightly`.

Ctrl-C, SIGTERM and SIGHUP end every process of the run and print the summary so far. Exit status 130.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from crowdgame.server.laptop.paths import DATA
from crowdgame.server.laptop.stop_signals import SIGNALS, interrupt
from tests.results import RESULTS, Result, read_results
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
        "accounts/test_sign_up",
        "test_analysis_board",
        "test_console",
        "test_duel_actions",
        "test_first_vote",
        "test_full_match",
        "test_joining",
        "test_page_size",
        "test_particles",
        "test_receipt_checks",
        "test_reconnecting",
        "test_verify_page",
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
PLUGINS = ("-p", "tests.results", "-p", "no:cov", "--no-summary")
MAX_TEST_S = float(os.environ.get("MAX_TEST_S", "inf"))
MAX_RETRIED = 2
LAST_FAILED = ("--last-failed", "--last-failed-no-failures=none")
LAST_TIMES = DATA / "test-times.json"
TESTS_FAILED, INTERRUPTED = 1, 130
PR_SET_CHILD_SUBREAPER = 36
KILL_TIMEOUT_S = 5


@dataclass(frozen=True)
class Outcome:
    """The result of one part so far. `status` is pytest's exit status."""

    part: str
    results: tuple[Result, ...] = ()
    status: int = INTERRUPTED
    seconds: float = 0
    unstable: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        names = dict.fromkeys(result.name for result in self.results if result.outcome == "failed")
        return tuple(name for name in names if name not in self.unstable)

    @property
    def slow(self) -> tuple[str, ...]:
        slow = [result for result in self.results if result.seconds > MAX_TEST_S]
        return tuple(f"{result.name}, {result.seconds:.0f} s" for result in slow)

    @property
    def is_ok(self) -> bool:
        return not self.status and not self.slow

    @property
    def passed(self) -> int:
        return sum(result.outcome == "passed" for result in self.results) + len(self.unstable)

    def __str__(self) -> str:
        skipped = sum(result.outcome == "skipped" for result in self.results)
        counts = f"{self.passed} passed, {len(self.failed)} failed, {skipped} skipped"
        if self.unstable:
            counts += f", {len(self.unstable)} passed only on the second try"
        if self.slow:
            counts += f", {len(self.slow)} slow and not marked as nightly"
        ended = "" if self.status == 0 or self.failed else f", pytest ended with status {self.status}"
        mark = "✓" if self.is_ok else "✗"
        names = [f"\n    {name}" for name in (*self.failed, *self.slow, *self.unstable)]
        return f"{mark} {self.part}: {counts} in {minutes(self.seconds)}{ended}{''.join(names)}"


class Run:
    """A run of the suite: the outcomes of its parts so far, and the processes that it started.

    On Linux this process adopts the children of processes that end, so none of them gets out of reach.
    """

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)

    def run_part(self, part: str, *selection: str, max_retried: int = 0) -> None:
        began = time.monotonic()
        report = run_folder() / f"{len(self.outcomes)}.results"
        outcome = Outcome(part)
        try:
            outcome = replace(outcome, status=self._run_pytest(report, *selection))
            failed = Outcome(part, tuple(read_results(report))).failed
            if outcome.status == TESTS_FAILED and len(failed) <= max_retried:
                outcome = self._retry(outcome, failed, *selection)
        finally:
            results, seconds = tuple(read_results(report)), time.monotonic() - began
            self.outcomes.append(replace(outcome, results=results, seconds=seconds))

    def _retry(self, outcome: Outcome, failed: tuple[str, ...], *selection: str) -> Outcome:
        """Run the failed tests again. Their failures stand unless all of them pass now."""
        if self._run_pytest(run_folder() / "retry.results", *LAST_FAILED, *selection):
            return outcome
        return replace(outcome, status=0, unstable=failed)

    def _run_pytest(self, report: Path, *arguments: str) -> int:
        argv = [sys.executable, "-m", "pytest", *PLUGINS, *arguments]
        status = subprocess.run(argv, env={**os.environ, RESULTS: str(report)}, check=False).returncode
        if left := kill_descendants():
            print("Killed processes that the tests left running:", *left, sep="\n    ", flush=True)
        return status

    def end(self) -> None:
        """Kill every process of the run, and print the summary so far."""
        kill_descendants()
        passed = sum(outcome.passed for outcome in self.outcomes)
        failed = sum(len(outcome.failed) for outcome in self.outcomes)
        print("", *self.outcomes, f"{passed} passed, {failed} failed", sep="\n", flush=True)


def kill_descendants() -> list[str]:
    """Kill all descendants; return the command lines of those that were still running."""
    running: dict[int, str] = {}
    while children := psutil.Process().children(recursive=True):
        for child in children:
            with suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    running.setdefault(child.pid, " ".join(child.cmdline())[:100])
                    child.kill()
        psutil.wait_procs(children, KILL_TIMEOUT_S)
    return list(running.values())


def minutes(seconds: float) -> str:
    return "{}:{:02}".format(*divmod(round(seconds), 60))


def run_suite(run: Run, options: Sequence[str], parts: dict[str, tuple[str, ...]]) -> None:
    times = json.loads(LAST_TIMES.read_text()) if LAST_TIMES.exists() else {}
    for part, selection in parts.items():
        key = " ".join((part, *options))
        print(f"\n{part}" + (f" (last time: {minutes(times[key])})" if key in times else ""), flush=True)
        run.run_part(part, *options, *selection, max_retried=MAX_RETRIED)
        times[key] = run.outcomes[-1].seconds
        LAST_TIMES.write_text(json.dumps(times))


def main(arguments: Sequence[str]) -> int:
    reset_for_children()
    for number in SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # set by nohup
            signal.signal(number, interrupt)
    run = Run()
    try:
        if not arguments:
            run_suite(run, EACH_CHANGE, PARTS)
        elif arguments == ["--nightly"]:
            run_suite(run, NIGHTLY, NIGHTLY_PARTS)
        else:
            run.run_part("selected tests", *without(), *arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        run.end()
    return 0 if all(outcome.is_ok for outcome in run.outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
