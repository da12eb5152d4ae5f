"""The test runner: it runs every part and prints one summary, also as a background job."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.laptop.paths import ROOT
from tests import __main__ as running
from tests.signals import OFTEN_IGNORED

CHILD = "print([l for l in open('/proc/self/status') if l.startswith('SigIgn')][0].split()[1])"
PARENT = f"""
import subprocess, sys
from tests.signals import reset_for_children
reset_for_children()
print(sys.stdin.readline(), flush=True)
subprocess.run([sys.executable, "-c", {CHILD!r}], check=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
def test_reset_for_children_restores_ignored_signals() -> None:
    with subprocess.Popen(
        ["sh", "-c", "trap '' INT QUIT HUP; exec \"$@\"", "sh", sys.executable, "-c", PARENT],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        print("begin", file=parent.stdin, flush=True)
        assert parent.stdout.readline() == "begin\n"
        for number in OFTEN_IGNORED:
            parent.send_signal(number)
        output, _ = parent.communicate()
    ignored = int(output.split()[-1], 16)
    assert parent.returncode == 0
    assert not [number for number in OFTEN_IGNORED if ignored & 1 << (number - 1)]


PASSES, FAILS = "def test_one(): pass\n", "def test_two(): assert False\n"


RunSuite = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def run_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunSuite:
    """Run the runner on parts with one file each; the fixture returns its status and printed lines."""

    def run(**files: str) -> tuple[int, list[str]]:
        parts = {}
        for part, text in files.items():
            path = tmp_path / f"test_{part}.py"
            path.write_text(text)
            parts[part] = (str(path), f"--rootdir={tmp_path}", f"--confcutdir={tmp_path}")
        monkeypatch.setattr(running, "PARTS", parts)
        monkeypatch.setenv("PYTEST_ADDOPTS", f"-c {os.devnull}")
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        status = running.main(("-q",))
        return status, re.sub(r"\d+:\d\d", "TIME", capfd.readouterr().out).splitlines()

    return run


def test_runner_continues_after_failing_part(run_suite: RunSuite) -> None:
    status, lines = run_suite(broken="import nothing\n", red=FAILS, green=PASSES)
    summary = lines[-7:]
    assert status == 1
    assert summary[0] == ""
    assert summary[1].startswith("✗ broken: 0 passed, 1 failed, 0 skipped in TIME")
    assert summary[3] == "✗ red: 0 passed, 1 failed, 0 skipped in TIME"
    assert summary[4].endswith("test_red::test_two")
    assert summary[5] == "✓ green: 1 passed, 0 failed, 0 skipped in TIME"
    assert summary[6] == "1 passed, 2 failed"


def test_runner_succeeds_without_failures(run_suite: RunSuite) -> None:
    status, lines = run_suite(one=PASSES, two=PASSES)
    assert (status, lines[-1]) == (0, "2 passed, 0 failed")


def test_runner_fails_on_slow_test(run_suite: RunSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MAX_TEST_S", 0.05)
    status, lines = run_suite(one=PASSES, two="import time\ndef test_slow(): time.sleep(0.1)\n")
    assert status == 1
    assert lines[-4].startswith("✓ one: 1 passed, 0 failed")
    assert lines[-3].startswith("✗ two: 1 passed, 0 failed, 0 skipped, 1 slow and not marked as nightly in")
    assert "test_two::test_slow, 0.1" in lines[-2]


UNSTABLE = """
from pathlib import Path
def test_late():
    seen = Path(__file__).with_suffix(".seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""


def test_runner_lists_tests_that_pass_on_second_try(run_suite: RunSuite) -> None:
    status, lines = run_suite(one=UNSTABLE + PASSES)
    assert status == 0
    assert lines[-3] == "✓ one: 2 passed, 0 failed, 0 skipped, 1 passed only on the second try in TIME"
    assert lines[-2].endswith("test_one::test_late")


def test_runner_does_not_retry_many_failures(run_suite: RunSuite) -> None:
    many = "".join(UNSTABLE.replace("late", f"late_{i}").replace(".seen", f".{i}") for i in range(3))
    status, lines = run_suite(one=many)
    assert (status, lines[-1]) == (1, "0 passed, 3 failed")


def test_runner_keeps_failure_that_repeats(run_suite: RunSuite) -> None:
    status, lines = run_suite(one=UNSTABLE + FAILS)
    assert (status, lines[-1]) == (1, "0 passed, 2 failed")


def test_runner_reports_crashed_part(run_suite: RunSuite) -> None:
    status, lines = run_suite(dead="import os\nos._exit(9)\n", green=PASSES)
    assert status == 1
    assert lines[-3] == "✗ dead: 0 passed, 0 failed, 0 skipped in TIME, pytest ended with status 9"
    assert lines[-1] == "1 passed, 0 failed"
