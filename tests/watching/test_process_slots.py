"""Figures of processes that come and go, crash and fork, while somebody looks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from deploy.laptop.paths import ROOT
from tests.watching.watcher import samples

COUNT = (
    "from voting.metrics.metrics import BALLOTS, CONNECTIONS, set_process_role;set_process_role('gateway');"
)
HOLD = f"{COUNT}BALLOTS.labels('counted').inc();CONNECTIONS.labels('phone').set(5);"
PRINT_METRICS = "from crowdgame.monitoring.port import metrics_text;print(metrics_text().decode())"
LOOKERS = 6
STAY = "import os;os.write(1, b'up\\n');input()"


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    """A process that counts into the folder."""
    env = {
        **os.environ,
        "PROMETHEUS_MULTIPROC_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "crowdgame.settings",
    }
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", script], env=env, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    )


def read_metrics(folder: Path) -> dict[str, list[tuple[str, float]]]:
    """By figure: which process, and how much."""
    with start(folder, PRINT_METRICS) as process:
        text, _ = process.communicate()
    assert process.returncode == 0
    found: dict[str, list[tuple[str, float]]] = {}
    for sample in samples(text.encode()):
        found.setdefault(sample.name, []).append((sample.labels.get("pid", ""), sample.value))
    return found


def crash(folder: Path) -> int:
    """The id of a process that held five phones and was killed."""
    with start(folder, HOLD + STAY) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        process.kill()
    return process.pid


def total(metrics: dict[str, list[tuple[str, float]]], name: str) -> float:
    return sum(value for _, value in metrics[name])


def test_one_that_crashes_again_and_again_leaves_one_set_of_files_and_no_count_is_lost(
    tmp_path: Path,
) -> None:
    crash(tmp_path)
    kept = len(list(tmp_path.iterdir()))
    gone = {str(crash(tmp_path)) for _ in range(3)}
    assert len(list(tmp_path.iterdir())) == kept
    metrics = read_metrics(tmp_path)
    assert total(metrics, "crowdgame_ballots_total") == 4
    assert total(metrics, "crowdgame_connections") == 0
    assert not gone & {pid for pid, _ in metrics.get("crowdgame_process", [])}


def test_what_the_dead_held_is_not_held_by_who_has_their_process_id(tmp_path: Path) -> None:
    """As in a container, where every start has the same one, or after some days."""
    with start(tmp_path, HOLD + STAY) as neighbour:  # whoever looks takes its place
        assert neighbour.stdout
        neighbour.stdout.readline()
        crash(tmp_path)
        neighbour.kill()
    (tmp_path / "1.lock").write_text(str(os.getpid()))
    assert list(tmp_path.glob("gauge_live*_1.db"))
    metrics = read_metrics(tmp_path)
    assert total(metrics, "crowdgame_connections") == 0
    assert "crowdgame_process" not in metrics


def test_a_child_has_a_place_of_its_own_and_outlives_its_parent(tmp_path: Path) -> None:
    fork = "import os;child = os.fork();set_process_role('worker' if child else 'scheduler');"
    with start(tmp_path, HOLD + fork + STAY) as parent:
        assert parent.stdout
        assert [parent.stdout.readline() for _ in range(2)] == ["up\n", "up\n"]
        both = dict(read_metrics(tmp_path)["crowdgame_process"])
        assert total(read_metrics(tmp_path), "crowdgame_connections") == 5
        parent.kill()
        parent.wait()
        after = read_metrics(tmp_path)
        (child,) = both.keys() - {str(parent.pid)}
        assert {pid for pid, _ in after["crowdgame_process"]} == {child}
        assert total(after, "crowdgame_connections") == 0
        os.kill(int(child), signal.SIGKILL)


def test_a_file_that_is_only_just_made_disturbs_nobody(tmp_path: Path) -> None:
    crash(tmp_path)
    (tmp_path / "counter_7.db").touch()
    assert total(read_metrics(tmp_path), "crowdgame_ballots_total") == 1


def test_many_may_look_at_once_while_others_come_and_go(tmp_path: Path) -> None:
    crash(tmp_path)
    looking = "from crowdgame.monitoring.port import metrics_text;[metrics_text() for _ in range(200)]"
    processes = [start(tmp_path, looking) for _ in range(LOOKERS)]
    for _ in range(3):
        crash(tmp_path)
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0] * LOOKERS
    assert total(read_metrics(tmp_path), "crowdgame_connections") == 0
