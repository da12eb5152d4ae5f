"""`python -m tests`: what a run prints, its exit status, and the processes that it leaves."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from deploy.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.run_folder import VARIABLE

TESTS = """
import subprocess
from pathlib import Path

STARTED = Path(__file__).with_name("started")

def test_passes():
    pass

def test_fails():
    print("details")
    assert 1 + 1 == 3

def test_leaves_process():
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    STARTED.write_text(str(process.pid))

def test_waits_for_process():
    subprocess.Popen(["sleep", "600"], start_new_session=True).wait()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "test_example.py"
    file.write_text(TESTS)
    return file


def start_run(file: Path, *options: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if name != VARIABLE}
    argv = [sys.executable, "-m", "tests", str(file), "-p", "no:django", "-p", "no:cacheprovider", *options]
    return subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)


def test_run_prints_each_failure_with_the_command_that_repeats_it(file: Path) -> None:
    output, _ = (run := start_run(file, "-k", "passes or fails")).communicate()
    assert run.returncode == 1
    assert "assert (1 + 1) == 3" in output
    assert "details" in output
    assert 'Repeat with: make test ARGS="test_example.py::test_fails"' in output
    assert "✗ selected tests: 1 passed, 1 failed, 0 skipped" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_ends_its_processes_and_prints_a_summary(file: Path, number: signal.Signals) -> None:
    run = start_run(file, "-k", "passes or process")
    started = file.with_name("started")
    wait_until(lambda: started.exists() and started.read_text())
    processes = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(number)
    output, _ = run.communicate()
    assert run.returncode == 130
    assert "2 passed, 0 failed" in output
    assert [process for process in processes if process.is_running()] == []
    assert not psutil.pid_exists(int(started.read_text()))


def test_run_ends_processes_that_tests_leave(file: Path) -> None:
    output, _ = (run := start_run(file, "-k", "leaves")).communicate()
    assert run.returncode == 0
    assert "left running:\n    sleep 600" in output
    assert not psutil.pid_exists(int(file.with_name("started").read_text()))
