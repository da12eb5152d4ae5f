import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.steps import Step, StepFailed, error_line, in_background, run
from tests.crowdgame.server.laptop.supervisor_program import PARENT, SLEEPER
from tests.deploy.processes import marked, wait_until

DIES_OF = "import sys; print('before'); print({!r}); sys.exit(3)"


def step(folder: Path, *argv: str) -> Step:
    return Step("do the thing", [sys.executable, *argv], "thing", logs=folder / "logs")


def test_step_writes_output_to_log_and_progress_to_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(step(tmp_path, "-c", "print('one'); print('two')")) == "one\ntwo\n"
    assert (tmp_path / "logs" / "thing.log").read_text() == "one\ntwo\n"
    assert capfd.readouterr().out == "  do the thing …\n✓ do the thing, 0 s\n"


def test_secret_step_logs_its_output_only_if_it_fails(tmp_path: Path) -> None:
    secret = replace(step(tmp_path, "-c", "print('secret')"), is_secret=True)
    assert run(secret) == "secret\n"
    assert (tmp_path / "logs" / "thing.log").read_text() == ""
    with pytest.raises(StepFailed):
        run(replace(step(tmp_path, "-c", DIES_OF.format("reason")), is_secret=True))
    assert (tmp_path / "logs" / "thing.log").read_text() == "before\nreason\n"


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
    made = tmp_path / "made"
    # Another process, which can only look for the file again and again.
    wait_for_file = f"import os, time\nwhile not os.path.exists({str(made)!r}): time.sleep(0.01)"
    with in_background(lambda: run(step(tmp_path, "-c", wait_for_file))):
        run(replace(step(tmp_path, "-c", f"open({str(made)!r}, 'w')"), log="other"))


def test_steps_in_background_end_with_failure_of_another(tmp_path: Path) -> None:
    sleeping = replace(step(tmp_path, "-c", SLEEPER, str(tmp_path)), log="other")

    def fail_beside() -> None:
        wait_until(lambda: len(marked(tmp_path)) == 1)
        run(step(tmp_path, "-c", DIES_OF.format("ENOSPC")))

    with pytest.raises(StepFailed, match="thing: the disk is full"), in_background(lambda: run(sleeping)):
        fail_beside()
    assert not marked(tmp_path)


def test_step_failed_in_background_is_reported(tmp_path: Path) -> None:
    failing = step(tmp_path, "-c", DIES_OF.format("ENOSPC"))
    with (
        pytest.raises(StepFailed, match="do the thing: the disk is full"),
        in_background(lambda: run(failing)),
    ):
        pass


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
run(Step("sleep", [sys.executable, "-c", {PARENT!r}, sys.argv[1]], "sleep", logs=Path(sys.argv[1])))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE
    )
    wait_until(lambda: len(marked(tmp_path)) == 3)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=30)
    assert not marked(tmp_path)
