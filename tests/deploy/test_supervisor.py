import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from deploy.laptop.paths import ROOT
from deploy.laptop.supervisor import Child, Supervisor, next_delay
from tests.deploy import supervisor_program
from tests.deploy.processes import are_ready, marked, wait_until
from tests.deploy.supervisor_program import (
    DEAF,
    NOTES_ITS_END,
    NOTES_ITS_START,
    PARENT,
    SLEEPER,
    SLOW_TO_END,
    child,
)

SupervisorProcess = subprocess.Popen[str]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def supervisor(tmp_path: Path, said: list[str]) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs", said.append) as supervisor:
        yield supervisor


def start_supervisor(folder: Path, *described: str) -> SupervisorProcess:
    argv = [sys.executable, "-m", supervisor_program.__name__, str(folder), *described]
    return subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_killed_child_is_started_again_after_a_moment(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.start(child("sleeper", SLEEPER, tmp_path))
    wait_until(lambda: supervisor.pid("sleeper"))
    first = supervisor.pid("sleeper")
    assert first
    os.kill(first, signal.SIGKILL)
    killed = time.monotonic()
    wait_until(lambda: supervisor.pid("sleeper") not in {None, first})
    assert time.monotonic() - killed >= 0.2
    assert said == [f"sleeper was ended by SIGKILL; starting it again in 0.2 s ({tmp_path}/logs/sleeper.log)"]


def test_a_child_that_ends_at_once_is_started_more_and_more_slowly(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.start(child("hasty", NOTES_ITS_START, tmp_path))
    wait_until(lambda: len(said) >= 4)
    starts = [float(line) for line in (tmp_path / "starts").read_text().splitlines()][:4]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    assert all(gap >= delay for gap, delay in zip(gaps, [0.2, 0.4, 0.8], strict=True))
    assert "ended with exit status 0" in said[0]


def test_the_delay_doubles_up_to_a_limit_and_starts_anew_once_a_child_has_lived() -> None:
    delays, delay = [], 0.0
    for _ in range(7):
        delay = next_delay(delay, lived=0.1)
        delays.append(delay)
    assert delays == [0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert next_delay(5.0, lived=10.0) == 0.2


def test_a_program_that_is_not_there_is_named_in_the_log(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.start(Child("nothing", [str(tmp_path / "nothing")]))
    wait_until(lambda: said)
    assert "ended with exit status 1" in said[0]
    assert "No such file or directory" in (tmp_path / "logs" / "nothing.log").read_text()


def test_what_a_dead_child_left_behind_goes_too(supervisor: Supervisor, tmp_path: Path) -> None:
    supervisor.start(child("parent", PARENT, tmp_path))
    wait_until(lambda: len(marked(tmp_path)) == 2)
    before = {process.pid for process in marked(tmp_path)}
    pid = supervisor.pid("parent")
    assert pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not before & {process.pid for process in marked(tmp_path)})


def test_a_stopped_child_is_not_started_again(
    supervisor: Supervisor, said: list[str], tmp_path: Path
) -> None:
    supervisor.start(child("sleeper", SLEEPER, tmp_path))
    supervisor.stop()
    assert not marked(tmp_path)
    assert not said


def test_those_of_a_higher_order_end_when_the_others_have_ended(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    last, first = (
        child("last", NOTES_ITS_END, tmp_path, stop_order=1),
        child("first", NOTES_ITS_END, tmp_path),
    )
    supervisor.start(last, first)
    wait_until(lambda: len(list(tmp_path.glob("*-ready"))) == 2)
    supervisor.stop()
    assert float((tmp_path / "first").read_text()) < float((tmp_path / "last").read_text())


def test_sigterm_ends_everything_even_the_deaf(tmp_path: Path) -> None:
    process = start_supervisor(tmp_path, f"deaf=0={DEAF}", f"parent=0={PARENT}", f"box=1={DEAF}")
    wait_until(lambda: are_ready(tmp_path, 5))
    process.terminate()
    assert process.wait(30) == 0
    assert not marked(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_end_everything(tmp_path: Path, number: signal.Signals) -> None:
    process = start_supervisor(tmp_path, f"sleeper=0={SLEEPER}", f"box=1={SLEEPER}")
    wait_until(lambda: len(marked(tmp_path)) == 3)
    process.send_signal(number)
    assert process.wait(30) == 0
    assert not marked(tmp_path)


def test_impatience_does_not_leave_anything_behind(tmp_path: Path) -> None:
    process = start_supervisor(tmp_path, f"slow=0={SLOW_TO_END}")
    wait_until(lambda: are_ready(tmp_path, 2))
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    assert process.stdout.readline() == "ending\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert not marked(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children together with their parent")
def test_the_supervisors_own_sudden_death_takes_the_children_along(tmp_path: Path) -> None:
    process = start_supervisor(tmp_path, f"deaf=0={DEAF}", f"sleeper=0={SLEEPER}")
    wait_until(lambda: are_ready(tmp_path, 3))
    process.kill()
    wait_until(lambda: not marked(tmp_path))


def test_a_log_that_has_grown_is_put_aside(supervisor: Supervisor, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "sleeper.log"
    log.parent.mkdir()
    log.write_bytes(b"x" * 3_000_000)
    supervisor.start(child("sleeper", SLEEPER, tmp_path))
    wait_until(lambda: supervisor.pid("sleeper"))
    assert log.stat().st_size == 0
    assert log.with_name("sleeper.log.1").stat().st_size == 3_000_000
