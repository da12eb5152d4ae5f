import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
import yaml

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from crowdgame.server.monitoring.alerts import ALERTS
from tests.deploy.processes import wait_until
from tests.monitoring.probes import ask, metric_samples, metric_value, run_script, samples
from tests.server import Server
from tests.socket_clients import SocketClients
from voting.gateway import heartbeats
from voting.metrics.metrics import REGISTRY, ProcessRole

NAMED = re.compile(r"\b((?:crowdgame|process)_\w+)(?:\{([^}]*)\})?")
LABELS = {"kind", "outcome", "le", "role", "pid"}
PROCESSES = {"scheduler": "scheduler", "pages": "gateway --pages --port"}
HOLD = """from voting.metrics.metrics import BALLOTS, CONNECTIONS, set_process_role
set_process_role('gateway');BALLOTS.labels('counted').inc();CONNECTIONS.labels('phone').set(5);"""
PRINT_METRICS = "from crowdgame.server.monitoring.port import metrics_text;print(metrics_text().decode());"


def close_a_turn(server: Server, clients: SocketClients) -> dict[str, Any]:
    """Play a turn with one ballot up to its reveal; return the event's id and code."""
    made = server.ask("event", window_s=600, pace="instant", lobby="open")
    server.ask("begin", event_id=made["id"])
    server.ask("open_turn_now", event_id=made["id"])
    phone, welcome = clients.phone(made["code"])
    turn = welcome["state"]["match"]["turn"]
    phone.say("ballot.cast", turn=turn["id"], choice=3, sequence=1, epoch=turn["epoch"])
    phone.receive("ballot.counted")
    server.ask("close_after", event_id=made["id"], ms=300)
    phone.receive("turn.revealed")
    return dict(made)


def test_metrics_count_and_time_a_turn_but_name_no_team_column_or_event(
    server: Server, clients: SocketClients
) -> None:
    before = metric_samples(server)
    code = close_a_turn(server, clients)["code"]

    def grew(name: str) -> float:
        name = f"crowdgame_{name}"
        return metric_value(server, name) - sum(sample.value for sample in before if sample.name == name)

    wait_until(lambda: grew("resolve_lag_seconds_count") >= 1)  # events of other tests may go on
    for name in ("ballots_total", "batch_size_sum", "ack_seconds_count", "joins_total"):
        assert grew(name) == 1, name
    for name, least in (("close_lag", 1), ("relay_lag", 3), ("broadcast", 1)):
        assert grew(f"{name}_seconds_count") >= least, name
    assert 0 < grew("resolve_lag_seconds_sum") < 60  # a clock change would give more
    assert metric_value(server, "crowdgame_connections", kind="phone") >= 1
    wait_until(lambda: grew("scheduler_last_run_timestamp_seconds") > 0)
    assert {label for sample in metric_samples(server) for label in sample.labels} == LABELS
    words = set(re.findall(r"\w+", ask(server, "/metrics").body.decode()))
    assert not words & {code, "event", "team", "side", "column", "choice", "red", "yellow", "Rooks", "Doves"}


def test_metrics_include_cpu_and_memory_of_every_process(server: Server) -> None:
    expected = {"gateway": "gateway", "scheduler-1": "scheduler", "worker": "worker"}
    reported = [sample.labels for sample in metric_samples(server) if sample.name == "crowdgame_process"]
    roles = {int(labels["pid"]): labels["role"] for labels in reported}
    assert {name: roles[server.supervisor.pid(name) or 0] for name in expected} == expected
    for role in expected.values():
        assert metric_value(server, "process_cpu_seconds_total", role=role) > 0
        assert metric_value(server, "process_resident_memory_bytes", role=role) > 1 << 20


async def test_stalled_gateway_counts_each_missed_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("crowdgame_loop_lag_seconds_count") or 0

    before = counted()
    for late_s, count in ((0.05, 1), (0.65, 8), (3_600, 109)):
        clock = iter((0.0, heartbeats.SLOT_S + late_s))
        monkeypatch.setattr(heartbeats, "time", SimpleNamespace(monotonic=clock.__next__))
        await heartbeats._sleep_for_slot()
        assert counted() - before == count


@pytest.mark.parametrize(("role", "command"), PROCESSES.items())
def test_metrics_tell_the_role_of_a_process(role: str, command: str, server: Server, tmp_path: Path) -> None:
    """A process without HTTP serves them at METRICS_PORT."""
    port = free_port()
    metrics = {"METRICS_PORT": str(port), "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    env = {**os.environ, **server.stack.env, **metrics}
    argv = f"{command} {port}".split() if command.endswith("--port") else [command]
    process = subprocess.Popen([*MANAGE, *argv], env=env, cwd=ROOT)
    answered: list[str] = []

    def has_answered() -> bool:
        with suppress(OSError), urllib.request.urlopen(f"http://{LOOPBACK}:{port}/metrics") as answer:
            found = samples(answer.read().decode())
            answered[:] = [sample.labels["role"] for sample in found if sample.name == "crowdgame_process"]
            return True
        return False

    try:
        wait_until(has_answered)
    finally:
        process.terminate()
    assert (process.wait(10), answered) == (0, [role])


def test_metrics_without_shared_folder_cover_own_process() -> None:
    script = (
        "from voting.metrics.metrics import ACK_S, set_process_role; "
        "from crowdgame.server.monitoring.port import metrics_text; "
        "set_process_role('worker'); ACK_S.observe(0.003); print(metrics_text().decode())"
    )
    done = run_script(script)
    by_name = {sample.name: sample for sample in samples(done.stdout)}
    assert by_name["crowdgame_ack_seconds_sum"].value == pytest.approx(0.003)
    assert by_name["process_cpu_seconds_total"].labels["role"] == "worker"


def test_grafana_and_alerts_query_all_exported_metrics_and_no_others(server: Server) -> None:
    """Their names and labels. The rules about node_exporter and blackbox_exporter are left out."""
    running = {"gateway", "worker", "scheduler"}
    wait_until(lambda: running <= exported(server)["crowdgame_process"]["role"])
    known, folder = exported(server), ROOT / "deploy" / "grafana"
    panels = json.loads((folder / "crowdgame.json").read_text())["panels"]
    groups = yaml.safe_load((folder / "alerts.yaml").read_text())["groups"]
    shown = [target["expr"] for panel in panels for target in panel["targets"]]
    alerts = [rule["expr"] for group in groups for rule in group["rules"]]
    for query in (*shown, *(one for one in alerts if not re.search(r"\b(node|probe)_", one))):
        queried = NAMED.findall(query)
        assert queried, query
        for name, filters in queried:
            for label, sign, value in re.findall(r'(\w+)(!?=)"([^"]*)"', filters):
                assert sign == "!=" or value in known[name][label] | {*get_args(ProcessRole)}, query
        for group in re.findall(r"\bby \(([^)]*)\)", query):
            labels = {label.strip() for label in group.split(",")} - {"instance", "job"}
            assert all(labels <= known[name].keys() for name, _ in queried), query
    assert {base for name in known if (base := base_name(name)).startswith("crowdgame_")} <= base_names(shown)
    assert {metric.name for metric in REGISTRY.collect()} <= base_names(alerts)


def exported(server: Server) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = {}
    for sample in metric_samples(server):
        labels = found.setdefault(sample.name, {})
        for name, value in sample.labels.items():
            labels.setdefault(name, set()).add(value)
    return found


def base_name(name: str) -> str:
    return re.sub(r"_(total|bucket|sum|count|created)$", "", name)


def base_names(queries: list[str]) -> set[str]:
    return {base_name(name) for query in queries for name, _ in NAMED.findall(query)}


def test_runbook_has_each_alert_once_and_names_units_that_exist() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    names = [f"Crowdgame{alert.name}" for alerts in ALERTS.values() for alert in alerts]
    assert sorted(re.findall(r"^\| (Crowdgame\w+) \|", runbook, re.MULTILINE)) == sorted(names)
    existing = {path.name for path in (ROOT / "deploy" / "server" / "systemd").iterdir()}
    units = re.findall(r"crowdgame-[a-z]+(?:@|\.\w+|)(?=[`' *]|$|\.service)", runbook)
    assert "crowdgame-worker" in units
    for unit in units:
        assert {unit, f"{unit}.service"} & existing, unit


def test_runbook_quotes_texts_and_panels_that_exist() -> None:
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    seen = re.findall(r"^\| Crowdgame\w+ \| ([^|]+) \|", runbook, re.MULTILINE)
    panels = json.loads((ROOT / "deploy" / "grafana" / "crowdgame.json").read_text())["panels"]
    catalogs = (ROOT / "locale" / "de" / "LC_MESSAGES").glob("*.po")
    texts = "".join(path.read_text().replace('"\n"', "") for path in catalogs)
    texts += "".join(one["title"] for one in panels)
    quoted = {text for row in seen for text in re.findall('"([^"]+)"', row)}
    named = set(re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", runbook))
    assert len(quoted) > 3
    assert len(named) > 3
    assert {text for text in quoted | named if text not in texts} == set()


def start(folder: Path, script: str) -> subprocess.Popen[str]:
    env = {"PROMETHEUS_MULTIPROC_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "crowdgame.settings"}
    argv, pipe = [sys.executable, "-c", script], subprocess.PIPE
    return subprocess.Popen(argv, env=os.environ | env, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


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
    process = start(folder, f"{HOLD}{then}import os;os.write(1, b'up\\n');input()")
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
