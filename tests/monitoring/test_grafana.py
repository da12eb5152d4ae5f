import json
import re
from typing import Any, get_args

import pytest
import yaml

from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.monitoring.probes import metric_samples
from tests.server import Server
from voting.metrics.metrics import REGISTRY, ProcessRole

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
