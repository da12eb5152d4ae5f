"""`python -m tests`: what a run prints, its exit status, and the processes that it leaves."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.run_folder import VARIABLE

PASSES, FAILS = "def test_passes(): pass\n", "def test_fails(): assert 1 + 1 == 3\n"
UNSTABLE = """
from pathlib import Path
def test_late():
    seen = Path(__file__).with_suffix(".seen")
    first = not seen.exists()
    seen.touch()
    assert not first
"""
STARTS = """
import subprocess
from pathlib import Path
def test_leaves_process():
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    Path(__file__).with_name("pid").write_text(str(process.pid))
"""
WAITS = 'def test_waits(): subprocess.Popen(["sleep", "600"], start_new_session=True).wait()\n'
# Runs the parts that the arguments name, with one file each.
SUITE = """
import sys
from pathlib import Path
from tests import __main__ as running
running.PARTS = {Path(path).stem: (path, "--confcutdir", str(Path(path).parent)) for path in sys.argv[1:]}
sys.exit(running.main([]))
"""


def start_run(folder: Path, max_test_s: str = "inf", **parts: str) -> subprocess.Popen[str]:
    for name, text in parts.items():
        (folder / f"{name}.py").write_text(text)
    env = {name: value for name, value in os.environ.items() if name != VARIABLE} | {
        "CROWDGAME_DATA": str(folder),
        "MAX_TEST_S": max_test_s,
        "PYTEST_ADDOPTS": f"-c {os.devnull} --rootdir={folder} -o cache_dir={folder}/cache",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    argv = [sys.executable, "-c", SUITE, *(str(folder / f"{name}.py") for name in parts)]
    return subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)


def run_parts(folder: Path, max_test_s: str = "inf", **parts: str) -> tuple[int, str]:
    """Return the exit status and the output, without times."""
    output, _ = (run := start_run(folder, max_test_s, **parts)).communicate()
    return run.returncode, re.sub(r"\d+:\d\d", "TIME", output)


def test_run_goes_on_after_failures_and_ends_processes_that_tests_leave(tmp_path: Path) -> None:
    parts = {"broken": "import nothing\n", "dead": "import os; os._exit(9)\n", "one": FAILS, "two": STARTS}
    status, output = run_parts(tmp_path, **parts)
    assert status == 1
    assert "assert (1 + 1) == 3" in output
    assert 'Repeat with: make test ARGS="one.py::test_fails"' in output
    assert "✗ broken: 0 passed, 1 failed, 0 skipped in TIME\n" in output
    assert "✗ dead: 0 passed, 0 failed, 0 skipped in TIME, pytest ended with status 9\n" in output
    assert "✓ two: 1 passed, 0 failed, 0 skipped in TIME" in output
    assert "left running:\n    sleep 600" in output
    assert output.endswith("\n1 passed, 2 failed\n")
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_run_retries_few_failures_and_lists_tests_that_then_pass(tmp_path: Path) -> None:
    status, output = run_parts(tmp_path, one=UNSTABLE + PASSES)
    assert status == 0
    assert "✓ one: 2 passed, 0 failed, 0 skipped, 1 passed only on the second try in TIME" in output
    assert "\n    one.py::test_late\n" in output


MANY = "".join(UNSTABLE.replace("late", f"late_{i}").replace(".seen", f".{i}") for i in range(3))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (UNSTABLE + FAILS, "\n0 passed, 2 failed\n"),
        (MANY, "\n0 passed, 3 failed\n"),
        (PASSES, "✗ one: 1 passed, 0 failed, 0 skipped, 1 slow and not marked as nightly in TIME"),
    ],
    ids=["repeated", "many", "slow"],
)
def test_run_keeps_failures_that_repeat_many_and_slow_tests(tmp_path: Path, text: str, said: str) -> None:
    status, output = run_parts(tmp_path, "0" if text == PASSES else "inf", one=text)
    assert status == 1
    assert said in output


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.nightly)])
def test_interrupted_run_ends_its_processes_and_sums_up(tmp_path: Path, number: signal.Signals) -> None:
    run, started = start_run(tmp_path, one=PASSES + STARTS + WAITS), tmp_path / "pid"
    wait_until(lambda: started.exists() and started.read_text())
    processes = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(number)
    output, _ = run.communicate()
    assert run.returncode == 130
    assert output.endswith("\n2 passed, 0 failed\n")
    assert [process for process in processes if process.is_running()] == []
    assert not psutil.pid_exists(int(started.read_text()))
