import json
import os
import re
import subprocess
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
from tests.deploy.processes import wait_until
from tests.monitoring.probes import ask, metric_samples, metric_value, run_script, samples
from tests.server import Server
from tests.socket_clients import SocketClients
from voting.metrics.metrics import REGISTRY, ProcessRole

LABELS = {"kind", "outcome", "le", "role", "pid"}
GRAFANA = ROOT / "deploy" / "grafana"
NAMED = re.compile(r"\b((?:crowdgame|process)_\w+)(?:\{([^}]*)\})?")
# Metrics of node_exporter and blackbox_exporter, and their labels that the rules use.
EXPORTED = re.compile(r"\b((?:node|probe)_\w+)")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text()
DURATION = re.compile(r"\d+[smh]")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
PANELS: list[dict[str, Any]] = json.loads((GRAFANA / "crowdgame.json").read_text())["panels"]
ALERTS = yaml.safe_load((GRAFANA / "alerts.yaml").read_text())
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
DASHBOARD_QUERIES = [target["expr"] for panel in PANELS for target in panel["targets"]]
# Of the dashboard, and of the rules about our own metrics.
QUERIES = {*DASHBOARD_QUERIES, *(rule["expr"] for rule in RULES if not EXPORTED.search(rule["expr"]))}


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


def test_metrics_count_and_time_a_turn(server: Server, clients: SocketClients) -> None:
    before = metric_samples(server)
    close_a_turn(server, clients)

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


def test_metrics_include_cpu_and_memory_of_every_process(server: Server) -> None:
    expected = {"gateway": "gateway", "scheduler-1": "scheduler", "worker": "worker"}
    reported = [sample.labels for sample in metric_samples(server) if sample.name == "crowdgame_process"]
    roles = {int(labels["pid"]): labels["role"] for labels in reported}
    assert {name: roles[server.supervisor.pid(name) or 0] for name in expected} == expected
    for role in expected.values():
        assert metric_value(server, "process_cpu_seconds_total", role=role) > 0
        assert metric_value(server, "process_resident_memory_bytes", role=role) > 1 << 20


def test_metrics_include_time_of_last_scheduler_run(server: Server) -> None:
    before = metric_value(server, "crowdgame_scheduler_last_run_timestamp_seconds")
    wait_until(lambda: metric_value(server, "crowdgame_scheduler_last_run_timestamp_seconds") > before)


def test_metrics_have_no_label_for_team_column_or_event(server: Server, clients: SocketClients) -> None:
    code = close_a_turn(server, clients)["code"]
    assert {label for sample in metric_samples(server) for label in sample.labels} == LABELS
    words = set(re.findall(r"\w+", ask(server, "/metrics").body.decode()))
    assert not words & {code, "event", "team", "side", "column", "choice", "red", "yellow", "Rooks", "Doves"}


def test_metrics_port_serves_process_without_gateway(server: Server, tmp_path: Path) -> None:
    port = free_port()
    env = {"METRICS_PORT": str(port), "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    scheduler = subprocess.Popen(
        [*MANAGE, "scheduler"], env={**os.environ, **server.stack.env, **env}, cwd=ROOT
    )
    answered: list[str] = []

    def has_answered() -> bool:
        with (
            suppress(OSError),
            urllib.request.urlopen(f"http://{LOOPBACK}:{port}/metrics", timeout=5) as answer,
        ):
            found = samples(answer.read().decode())
            answered[:] = [sample.labels["role"] for sample in found if sample.name == "crowdgame_process"]
            return True
        return False

    try:
        wait_until(has_answered)
    finally:
        scheduler.terminate()
    assert (scheduler.wait(10), answered) == (0, ["scheduler"])


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


@pytest.fixture(scope="module")
def known(server: Server) -> dict[str, dict[str, set[str]]]:
    processes = {"gateway", "worker", "scheduler"}
    wait_until(
        lambda: processes <= exported_labels(server).get("crowdgame_process", {}).get("role", set()), 30
    )
    return exported_labels(server)


def exported_labels(server: Server) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = {}
    for sample in metric_samples(server):
        labels = found.setdefault(sample.name, {})
        for name, value in sample.labels.items():
            labels.setdefault(name, set()).add(value)
    return found


def has_matching_brackets(query: str) -> bool:
    return all(query.count(opening) == query.count(closing) for opening, closing in ("()", "{}", "[]"))


@pytest.mark.parametrize("query", sorted(QUERIES))
def test_grafana_query_uses_exported_metrics_and_labels(
    query: str, known: dict[str, dict[str, set[str]]]
) -> None:
    queried = NAMED.findall(query)
    assert queried
    assert has_matching_brackets(query)
    for name, filters in queried:
        assert name in known
        for label, sign, value in re.findall(r'(\w+)(!?=)"([^"]*)"', filters):
            assert sign == "!=" or value in known[name][label] | set(get_args(ProcessRole))
    for group in GROUPED.findall(query):
        labels = {label.strip() for label in group.split(",")} - {"instance", "job"}
        assert all(labels <= known[name].keys() for name, _ in queried)


def test_grafana_dashboard_covers_every_exported_metric(known: dict[str, dict[str, set[str]]]) -> None:
    queried = {name for query in QUERIES for name, _ in NAMED.findall(query)}
    shown = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in queried}
    counted = {re.sub(r"_(total|bucket|sum|count|created)$", "", name) for name in known}
    assert {name for name in counted if name.startswith("crowdgame_")} <= shown


def test_grafana_dashboard_counts_the_processes_of_each_role() -> None:
    counted = {role for query in DASHBOARD_QUERIES for role in re.findall(r'_process{role="(\w+)"}', query)}
    counted |= {"scheduler"}  # the panel shows the time of its last run
    assert counted == set(get_args(ProcessRole)) - {"command"}


def test_grafana_alerts_have_severity_summary_and_description() -> None:
    for rule in RULES:
        assert rule["alert"].startswith("Crowdgame")
        assert rule["labels"]["severity"] in {"page", "warn"}
        assert DURATION.fullmatch(rule["for"])
        assert rule["annotations"].keys() == {"summary", "description"}
        assert all(rule["annotations"].values())
    assert len({rule["alert"] for rule in RULES}) == len(RULES)


def test_alerts_cover_every_metric_of_ours() -> None:
    alerted = {name for rule in RULES for name, _ in NAMED.findall(rule["expr"])}
    counted = {re.sub(r"_(total|bucket)$", "", name) for name in alerted}
    assert {metric.name for metric in REGISTRY.collect()} - counted == set()


def test_other_metrics_of_alerts_come_from_exporters_in_the_docs() -> None:
    jobs = set(re.findall(r"job_name: ([\w-]+)", OPERATIONS))
    queried = [rule["expr"] for rule in RULES if EXPORTED.search(rule["expr"])]
    assert {name.split("_")[0] for query in queried for name in EXPORTED.findall(query)} == {"node", "probe"}
    assert {"node_exporter", "blackbox_exporter"} <= set(re.findall(r"\w+_exporter", OPERATIONS))
    for query in queried:
        assert not NAMED.search(query)
        assert set(re.findall(r'job="([^"]*)"', query)) <= jobs, query
        assert "probe_" not in query or 'job="' in query, query
        assert has_matching_brackets(query)
