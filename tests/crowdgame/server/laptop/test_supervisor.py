import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.steps import Step, StepFailed, error_line, in_background, run
from crowdgame.server.laptop.supervisor import Child, Supervisor, next_delay
from tests.crowdgame.server.laptop import supervisor_program as programs
from tests.crowdgame.server.laptop.supervisor_program import SLEEPER, child
from tests.deploy.processes import are_ready, marked, wait_until

DIES_OF = "import sys; print('before'); print({!r}); sys.exit(3)"
ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, children outlive their parent")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str]) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs", said.append) as supervisor:
        yield supervisor


def start_sleeper(supervisor: Supervisor, folder: Path, nice: int = 0) -> int:
    supervisor.start(replace(child("sleeper", SLEEPER, folder), nice=nice))
    wait_until(lambda: supervisor.pid("sleeper"))
    return supervisor.pid("sleeper") or 0


def test_supervisor_restarts_killed_child(supervisor: Supervisor, said: list[str], tmp_path: Path) -> None:
    first = start_sleeper(supervisor, tmp_path)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: supervisor.pid("sleeper") not in {None, first})
    assert said == [f"sleeper was killed by SIGKILL; restarting in 0.2 s ({tmp_path}/logs/sleeper.log)"]


def test_next_delay_doubles_to_limit_and_resets() -> None:
    delays, delay = [], 0.0
    for _ in range(7):
        delay = next_delay(delay, lived=0.1)
        delays.append(delay)
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert next_delay(5.0, lived=10.0) == 0.2


def test_supervisor_retries_missing_program(supervisor: Supervisor, said: list[str], tmp_path: Path) -> None:
    supervisor.start(Child("nothing", [str(tmp_path / "nothing")]))
    wait_until(lambda: len(said) >= 2)
    endings = [f"nothing exited with status 1; restarting in {delay} s" for delay in (0.2, 0.4)]
    assert [line.partition(" (")[0] for line in said[:2]] == endings
    assert "No such file or directory" in (tmp_path / "logs" / "nothing.log").read_text()


def test_supervisor_ends_orphans_of_dead_child(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(child("parent", programs.PARENT, tmp_path))
    wait_until(lambda: len(marked(tmp_path)) == 2)
    before = {process.pid for process in marked(tmp_path)}
    pid = supervisor.pid("parent")
    assert pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not before & {process.pid for process in marked(tmp_path)})


def test_supervisor_rotates_large_log_and_lowers_priority_within_its_own_session(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    log = tmp_path / "logs" / "sleeper.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 3_000_000)
    pid, own = start_sleeper(supervisor, tmp_path, nice=5), os.getpriority(os.PRIO_PROCESS, 0)
    wait_until(lambda: os.getpriority(os.PRIO_PROCESS, pid) == own + 5)
    assert os.getsid(pid) == os.getsid(0)
    assert log.stat().st_size == 0
    assert log.with_name("sleeper.log.1").stat().st_size == 3_000_000


def test_children_stop_for_good_in_order(supervisor: Supervisor, said: list[str], tmp_path: Path) -> None:
    last = child("last", programs.NOTES_ITS_END, tmp_path, stop_order=1)
    supervisor.start(last, child("first", programs.NOTES_ITS_END, tmp_path))
    wait_until(lambda: len(list(tmp_path.glob("*-ready"))) == 2)
    supervisor.stop()
    assert float((tmp_path / "first").read_text()) < float((tmp_path / "last").read_text())
    assert (said, marked(tmp_path)) == ([], [])


@pytest.mark.parametrize(
    ("number", "sources", "processes"),
    [
        (signal.SIGINT, (programs.SLOW_TO_END, SLEEPER), 3),
        (signal.SIGHUP, (programs.SLOW_TO_END, SLEEPER), 3),
        (signal.SIGTERM, (programs.IGNORES_SIGTERM, programs.PARENT, programs.IGNORES_SIGTERM), 5),
        pytest.param(signal.SIGKILL, (programs.IGNORES_SIGTERM, SLEEPER), 3, marks=ONLY_LINUX),
    ],
)
def test_supervisor_signals_leave_no_process_behind(
    tmp_path: Path, number: signal.Signals, sources: tuple[str, ...], processes: int
) -> None:
    described = [f"child-{order}={order}={source}" for order, source in enumerate(sources)]
    argv = [sys.executable, "-m", programs.__name__, str(tmp_path), *described]
    process = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    wait_until(lambda: are_ready(tmp_path, processes))
    process.send_signal(number)
    if number == signal.SIGKILL:
        wait_until(lambda: not marked(tmp_path))
        return
    assert process.stdout is not None
    assert process.stdout.readline() == "ending\n"
    if number != signal.SIGTERM:
        process.send_signal(signal.SIGINT)  # a second Ctrl-C
    assert process.wait(30) == 0
    assert not marked(tmp_path)


def step(folder: Path, *argv: str) -> Step:
    return Step("do the thing", [sys.executable, *argv], "thing", logs=folder / "logs")


def test_step_prints_progress_and_logs_output_unless_secret(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(step(tmp_path, "-c", "print('one'); print('two')")) == "one\ntwo\n"
    assert (tmp_path / "logs" / "thing.log").read_text() == "one\ntwo\n"
    assert capfd.readouterr().out == "  do the thing …\n✓ do the thing, 0 s\n"
    assert run(replace(step(tmp_path, "-c", "print('secret')"), is_secret=True)) == "secret\n"
    assert (tmp_path / "logs" / "thing.log").read_text() == ""
    with pytest.raises(StepFailed):
        run(replace(step(tmp_path, "-c", DIES_OF.format("reason")), is_secret=True))
    assert (tmp_path / "logs" / "thing.log").read_text() == "before\nreason\n", "a failed step logs it"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("npm error code ENOSPC", "the disk is full"),
        ("django.db.utils.OperationalError: database or disk is full", "the disk is full"),
        ("npm error code EAI_AGAIN", "no network, or it blocks outgoing connections"),
        ("Temporary failure in name resolution", "no network, or it blocks outgoing connections"),
        ("DO NOT MATCH THE HASHES", "a download does not match its hash in the lock file"),
        ("Hash mismatch for `x==1`", "a download does not match its hash in the lock file"),
        ("CommandError: This data is newer. Do nothing.", "This data is newer. Do nothing"),
        ("something else", "failed with exit status 3"),
    ],
)
def test_step_failure_is_one_line_with_reason_and_log(tmp_path: Path, output: str, reason: str) -> None:
    with pytest.raises(StepFailed) as failed:
        run(step(tmp_path, "-c", DIES_OF.format(output)))
    assert error_line(failed.value) == f"✗ do the thing: {reason} (see {tmp_path}/logs/thing.log)"


def test_step_reports_unreachable_package_index_as_no_network(tmp_path: Path) -> None:
    install = "-m uv pip install --default-index http://127.0.0.1:1/ crowdgame-is-not-there --target"
    with pytest.raises(StepFailed, match="no network, or it blocks"):
        run(replace(step(tmp_path, *install.split(), str(tmp_path)), env={"UV_HTTP_RETRIES": "0"}))


def test_steps_in_background_run_beside_others(tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)  # opening it waits for the other side
    with in_background(lambda: run(step(tmp_path, "-c", f"open({pipe!r})"))):
        run(replace(step(tmp_path, "-c", f"open({pipe!r}, 'w')"), log="other"))


def test_steps_fail_and_end_with_one_in_background(tmp_path: Path) -> None:
    failing = step(tmp_path, "-c", DIES_OF.format("ENOSPC"))
    with pytest.raises(StepFailed, match="the disk is full"), in_background(lambda: run(failing)):
        pass
    sleeping = replace(step(tmp_path, "-c", SLEEPER, str(tmp_path)), log="other")

    def fail_beside() -> None:
        wait_until(lambda: len(marked(tmp_path)) == 1)
        run(failing)

    with pytest.raises(StepFailed, match="thing: the disk is full"), in_background(lambda: run(sleeping)):
        fail_beside()
    assert not marked(tmp_path)


def test_step_reports_full_disk_while_writing_its_log(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "thing.log").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as failed:
        run(step(tmp_path, "-c", "print('one')"))
    assert error_line(failed.value) == "✗ No space left on device"


def test_step_interrupted_leaves_no_process_behind(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from crowdgame.server.laptop.steps import Step, run
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
interrupt_on_signals()
run(Step("sleep", [sys.executable, "-c", {programs.PARENT!r}, sys.argv[1]], "sleep", logs=Path(sys.argv[1])))
"""
    argv, pipe = [sys.executable, "-c", program, str(tmp_path)], subprocess.PIPE
    process = subprocess.Popen(argv, cwd=ROOT, stderr=pipe)
    wait_until(lambda: len(marked(tmp_path)) == 3)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=30)
    assert not marked(tmp_path)
