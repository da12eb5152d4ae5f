import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from tests.monitoring.probes import samples

HOLD = """from voting.metrics.metrics import BALLOTS, CONNECTIONS, set_process_role
set_process_role('gateway');BALLOTS.labels('counted').inc();CONNECTIONS.labels('phone').set(5);"""
PRINT_METRICS = "from crowdgame.server.monitoring.port import metrics_text;print(metrics_text().decode());"
STAY = "import os;os.write(1, b'up\\n');input()"


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    env = {"PROMETHEUS_MULTIPROC_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "crowdgame.settings"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", script], env=os.environ | env, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    )


def read_metrics(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """By metric name: process ids and values."""
    with start(folder, PRINT_METRICS) as process:
        text, _ = process.communicate()
    assert process.returncode == 0
    found: dict[str, list[tuple[str, float]]] = {}
    for sample in samples(text):
        found.setdefault(sample.name, []).append((sample.labels.get("pid", ""), sample.value))
    return found


def hold(folder: Path, then: str = "") -> "subprocess.Popen[str]":
    process = start(folder, HOLD + then + STAY)
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    return process


def crash(folder: Path) -> int:
    with hold(folder) as process:
        process.kill()
    return process.pid


def total(metrics: dict[str, list[tuple[str, float]]], name: str) -> float:
    return sum(value for _, value in metrics[name])


def test_process_slots_are_reused_and_counters_survive_crashes(tmp_path: Path) -> None:
    crash(tmp_path)
    kept = len(list(tmp_path.iterdir()))
    gone = {str(crash(tmp_path)) for _ in range(3)}
    assert len(list(tmp_path.iterdir())) == kept
    (tmp_path / "counter_7.db").touch()
    metrics = read_metrics(tmp_path)
    assert total(metrics, "crowdgame_ballots_total") == 4
    assert total(metrics, "crowdgame_connections") == 0
    assert not gone & {pid for pid, _ in metrics.get("crowdgame_process", [])}


def test_process_slots_ignore_gauges_after_process_id_reuse(tmp_path: Path) -> None:
    """Process ids repeat in containers, and elsewhere after some days."""
    with hold(tmp_path) as neighbour:  # the reader takes its slot
        crash(tmp_path)
        neighbour.kill()
    (tmp_path / "1.lock").write_text(str(os.getpid()))
    assert list(tmp_path.glob("gauge_live*_1.db"))
    metrics = read_metrics(tmp_path)
    assert total(metrics, "crowdgame_connections") == 0
    assert "crowdgame_process" not in metrics


@pytest.mark.nightly
def test_forked_child_has_its_own_process_slot(tmp_path: Path) -> None:
    fork = "import os;child = os.fork();set_process_role('worker' if child else 'scheduler');"
    with hold(tmp_path, fork) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "up\n"
        both = dict(read_metrics(tmp_path)["crowdgame_process"])
        assert total(read_metrics(tmp_path), "crowdgame_connections") == 5
        parent.kill()
        parent.wait()
        after = read_metrics(tmp_path)
        (child,) = both.keys() - {str(parent.pid)}
        assert {pid for pid, _ in after["crowdgame_process"]} == {child}
        assert total(after, "crowdgame_connections") == 0
        os.kill(int(child), signal.SIGKILL)


@pytest.mark.nightly
def test_metrics_can_be_read_concurrently_during_crashes(tmp_path: Path) -> None:
    crash(tmp_path)
    read_repeatedly = PRINT_METRICS + "[metrics_text() for _ in range(200)]"
    processes = [start(tmp_path, read_repeatedly) for _ in range(6)]
    for _ in range(3):
        crash(tmp_path)
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * 6
    assert total(read_metrics(tmp_path), "crowdgame_connections") == 0
