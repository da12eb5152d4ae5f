"""`make test`: run the suite part by part, then print one summary. Exit status 1 if any part failed.

The other parts still run after a part fails. With `--nightly`, the tests marked `nightly` run too, and
properties are tried with more examples. A test that takes longer than MAX_TEST_S seconds (environment) fails
the run, unless it is marked.

Up to MAX_RETRIED failed tests of a part run once more, alone: a page that is a little late on a loaded
machine should not cost a whole run. The summary lists those that then pass, to be repaired.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.signals import reset_for_children

# Each process takes one file at a time, the slowest first (see conftest.py). Tests wait for a third of their
# time, so three processes are faster than two, even on two cores.
BY_FILE = ("--dist", "loadfile", "--no-loadscope-reorder", "--numprocesses")
NEED_THE_WHOLE_MACHINE = ("tests/load", "tests/hardening/test_fuzz.py")
# Run by `make test-deploy` and `make test-openspiel`, which install more programs.
ELSEWHERE = ("tests/machines", "tests/openspiel")
# Browser tests need a separate process: Playwright's event loop blocks database access of other tests.
PARTS = {
    "unit and integration": (
        *(f"--ignore={path}" for path in (*ELSEWHERE, *NEED_THE_WHOLE_MACHINE, "tests/e2e")),
        *BY_FILE,
        "3",
    ),
    "load and fuzz": NEED_THE_WHOLE_MACHINE,
    "browser": ("tests/e2e", *BY_FILE, "3"),
}
EACH_CHANGE = ("-m", "not nightly")
NIGHTLY = ("--hypothesis-profile=nightly",)
MAX_TEST_S = float(os.environ.get("MAX_TEST_S", "inf"))
MAX_RETRIED = 2
LAST_FAILED = ("--last-failed", "--last-failed-no-failures=none")
TESTS_FAILED = 1
INTERRUPTED = 130


@dataclass(frozen=True)
class Outcome:
    """The result of one part. `status` is pytest's exit status."""

    part: str
    status: int
    seconds: float
    passed: int = 0
    skipped: int = 0
    failed: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()

    @property
    def is_ok(self) -> bool:
        return not self.status and not self.slow

    @property
    def remarkable(self) -> tuple[str, ...]:
        return self.failed + self.slow + self.unstable

    def __str__(self) -> str:
        minutes, seconds = divmod(round(self.seconds), 60)
        counts = f"{self.passed} passed, {len(self.failed)} failed, {self.skipped} skipped"
        if self.unstable:
            counts += f", {len(self.unstable)} passed only on the second try"
        if self.slow:
            counts += f", {len(self.slow)} slow and not marked as nightly"
        ended = "" if self.status == 0 or self.failed else f", pytest ended with status {self.status}"
        return f"{'✓' if self.is_ok else '✗'} {self.part}: {counts} in {minutes}:{seconds:02}{ended}"


def run_part(part: str, options: tuple[str, ...], report: Path) -> Outcome:
    began = time.monotonic()
    status = run_pytest(*options, f"--junitxml={report}", *PARTS[part])
    outcome = Outcome(part, status, 0)
    if report.exists():
        outcome = read_report(report, outcome)
    if status == TESTS_FAILED and 0 < len(outcome.failed) <= MAX_RETRIED:
        outcome = retry(outcome, options)
    return replace(outcome, seconds=time.monotonic() - began)


def retry(outcome: Outcome, options: tuple[str, ...]) -> Outcome:
    """Run the failed tests of a part again. Its failures stand unless all of them pass now."""
    if run_pytest(*options, *LAST_FAILED, *PARTS[outcome.part]):
        return outcome
    passed = outcome.passed + len(outcome.failed)
    return replace(outcome, status=0, passed=passed, failed=(), unstable=outcome.failed)


def run_pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


def read_report(report: Path, outcome: Outcome) -> Outcome:
    cases = ET.parse(report).getroot().findall(".//testcase")  # noqa: S314 (written by pytest just now)
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    slow = [case for case in cases if float(case.get("time", 0)) > MAX_TEST_S]
    return replace(
        outcome,
        passed=len(cases) - len(failed) - len(skipped),
        skipped=len(skipped),
        failed=tuple(map(name_of, failed)),
        slow=tuple(f"{name_of(case)}, {case.get('time')} s" for case in slow),
    )


def name_of(case: ET.Element) -> str:
    return f"{case.get('classname')}::{case.get('name')}"


def summary(outcomes: list[Outcome]) -> str:
    lines = [
        line
        for outcome in outcomes
        for line in (str(outcome), *(f"    {name}" for name in outcome.remarkable))
    ]
    passed, failed = (sum(o.passed for o in outcomes), sum(len(o.failed) for o in outcomes))
    return "\n".join(["", *lines, f"{passed} passed, {failed} failed"])


def main(options: tuple[str, ...]) -> int:
    reset_for_children()
    with tempfile.TemporaryDirectory(prefix="crowdgame-report-") as folder:
        outcomes = [run_part(part, options, Path(folder) / f"{part}.xml") for part in PARTS]
    print(summary(outcomes), flush=True)
    return 0 if all(outcome.is_ok for outcome in outcomes) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(NIGHTLY if "--nightly" in sys.argv else EACH_CHANGE))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
