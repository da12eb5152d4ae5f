"""promtool evaluates each rule: it fires once with series just beyond its limit, not with those within."""

import json
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from crowdgame.server.config.open_files import RESERVED_FILES
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.monitoring.alerts import ALERTS
from deploy.laptop.system_tools import find_server
from tests.monitoring.probes import metric_samples
from tests.server import running_server
from voting.metrics.metrics import BATCH_SIZE_BUCKETS, SECONDS_BUCKETS, ProcessRole

Series = dict[str, str]  # the values of each series, one every INTERVAL_S, in promtool's notation
INTERVAL_S = 5
AFTERWARDS_S = 600
SAMPLES = (3600 + AFTERWARDS_S) // INTERVAL_S  # no rule waits for more than an hour
SECONDS = {"s": 1, "m": 60, "h": 3600}
ALL_ALERTS = [alert for alerts in ALERTS.values() for alert in alerts]
WAITS_S = {alert.name: int(alert.lasts[:-1]) * SECONDS[alert.lasts[-1]] for alert in ALL_ALERTS}


def constant(value: float) -> str:
    return f"{value}+0x{SAMPLES}"


def growing(step: float, start: float = 0) -> str:
    return f"{start}+{step}x{SAMPLES}"


def labels(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{name}={json.dumps(value)}" for name, value in values.items()) + "}"


def process(role: str) -> str:
    return f'crowdgame_process{{role="{role}", instance="a"}}'


SCHEDULER_RUN = "crowdgame_scheduler_last_run_timestamp_seconds"
HEALTHY: Series = {process(role): constant(1) for role in get_args(ProcessRole)}
HEALTHY[SCHEDULER_RUN] = growing(INTERVAL_S)


def observed(histogram: str, limit: float, within: int) -> Series:
    """100 observations every INTERVAL_S: so many are at the limit, the others beyond it."""
    buckets = BATCH_SIZE_BUCKETS if histogram == "crowdgame_batch_size" else SECONDS_BUCKETS
    return {
        f'{histogram}_bucket{{le="{bound}"}}': growing(
            0 if bound < limit else within if bound == limit else 100
        )
        for bound in (*map(float, buckets), float("inf"))
    }


def refused(ballots: int) -> Series:
    outcomes = {"refused": ballots, "counted": 100 - ballots}
    return {f'crowdgame_ballots_total{{outcome="{name}"}}': growing(n) for name, n in outcomes.items()}


def connections(before: int, after: int) -> Series:
    return {'crowdgame_connections{kind="phone"}': f"{before}+0x60 {after}+0x60"}


def share(metric: str, part: str, whole: str, percent: int, **tags: str) -> Series:
    """Two series named like `metric`, of which one is this share of the other."""
    of = labels({"instance": "a", **tags})
    return {metric.format(part) + of: constant(percent), metric.format(whole) + of: constant(100)}


def files(opened: int) -> Series:
    """This many of 100 open files that leave those reserved for other uses."""
    of = labels({"role": "gateway", "pid": "1", "instance": "a"})
    most = 100 + RESERVED_FILES
    return {f"process_open_fds{of}": constant(opened), f"process_max_fds{of}": constant(most)}


disk = partial(share, "node_filesystem_{}_bytes", "avail", "size", mountpoint="/")
memory = partial(share, "node_memory_{}_bytes", "MemAvailable", "MemTotal")


def probe(name: str, job: str, value: float) -> Series:
    return {f'probe_{name}{{job="crowdgame-{job}"}}': constant(value)}


DOWN = {
    "GatewayDown": "gateway",
    "WorkerDown": "worker",
    "BackgroundWorkerDown": "background",
    "WebhookWorkerDown": "webhooks",
    "ChatReaderDown": "chatreader",
    "AnalyzerDown": "analyzer",
}
SLOW = {
    "TurnsClosedLate": ("crowdgame_close_lag_seconds", 1, 99),
    "ResultsLate": ("crowdgame_resolve_lag_seconds", 1, 99),
    "AnnouncementsDelayed": ("crowdgame_relay_lag_seconds", 1, 99),
    "BallotsAcknowledgedLate": ("crowdgame_ack_seconds", 1, 99),
    "BatchesFull": ("crowdgame_batch_size", 1_000, 50),
    "GatewayOverloaded": ("crowdgame_loop_lag_seconds", 0.5, 90),
    "BroadcastsSlow": ("crowdgame_broadcast_seconds", 1, 99),
}
CROWDED, SLOW_CLIENTS = 'crowdgame_joins_total{outcome="crowded"}', "crowdgame_slow_consumers_total"
REFUSED = 'crowdgame_refusals_total{kind="%s"}'
EXPIRY, DAY_S = "ssl_earliest_cert_expiry", 24 * 3600
TIMER = 'node_systemd_timer_last_trigger_seconds{name="crowdgame-backup.timer"}'
BACKUP = 'node_systemd_unit_state{name="crowdgame-backup.service", state="%s"}'
# Alert: series with which it fires, and several with which it does not. An empty value removes a series.
CASES: dict[str, tuple[list[Series], list[Series]]] = {
    **{
        name: ([{process(role): constant(0)}, {process(role): ""}], [{process(role): constant(1)}])
        for name, role in DOWN.items()
    },
    **{
        name: ([observed(histogram, limit, share - 1)], [observed(histogram, limit, share + 1)])
        for name, (histogram, limit, share) in SLOW.items()
    },
    "SchedulerDown": (
        [{SCHEDULER_RUN: growing(INTERVAL_S, start=-6)}, {SCHEDULER_RUN: ""}],
        [{SCHEDULER_RUN: growing(INTERVAL_S, start=-5)}],
    ),
    "FileDescriptorsLow": ([files(91)], [files(90)]),
    "BallotsRefused": ([refused(11)], [refused(9)]),
    "ConnectionsLost": ([connections(200, 99)], [connections(200, 100), connections(100, 0)]),
    "SlowClients": ([{SLOW_CLIENTS: growing(8.5)}], [{SLOW_CLIENTS: growing(8.3)}]),
    "JoinsDeferred": ([{CROWDED: growing(1)}], [{CROWDED: constant(7)}]),
    "RequestsRefused": (
        [{REFUSED % "page": growing(5.5)}, {REFUSED % "page": growing(3), REFUSED % "api": growing(2.5)}],
        [{REFUSED % "page": growing(4.5)}, {REFUSED % "cheer": growing(99)}],
    ),
    "NotReady": ([probe("success", "ready", 0)], [probe("success", "ready", 1)]),
    "Unreachable": ([probe("success", "public", 0)], [probe("success", "public", 1)]),
    "CertificateExpires": (
        [probe(EXPIRY, "public", 14 * DAY_S - 1)],
        [probe(EXPIRY, "public", 14.1 * DAY_S)],
    ),
    "DiskFull": ([disk(9, fstype="ext4")], [disk(10, fstype="ext4"), disk(0, fstype="tmpfs")]),
    "MemoryLow": ([memory(9)], [memory(10)]),
    "BackupOld": ([{TIMER: constant(-2 * DAY_S)}], [{TIMER: constant(-1.9 * DAY_S)}]),
    "BackupFailed": (
        [{BACKUP % "failed": constant(1)}],
        [{BACKUP % "failed": constant(0)}, {BACKUP % "active": constant(1)}],
    ),
}


def expectation(series: Series, *fired: str, within_s: int) -> dict[str, Any]:
    """A test in promtool's format: these alerts have fired within this time, each once, and no others."""
    samples = [{"labels": f'{{alertname="Crowdgame{name}"}}', "value": 1} for name in fired]
    query = 'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[3h]))'
    return {
        "interval": f"{INTERVAL_S}s",
        "input_series": [{"series": name, "values": values} for name, values in series.items() if values],
        "promql_expr_test": [{"expr": query, "eval_time": f"{within_s}s", "exp_samples": samples}],
    }


def evaluate(folder: Path, *tests: dict[str, Any]) -> None:
    promtool = find_server("promtool")
    assert promtool, "there is no promtool: install Debian's prometheus"
    rules = ROOT / "deploy" / "grafana" / "alerts.yaml"
    table = folder / "tests.yaml"  # JSON is YAML
    content = {"rule_files": [str(rules)], "evaluation_interval": f"{INTERVAL_S}s", "tests": tests}
    table.write_text(json.dumps(content))
    command = [promtool, "test", "rules", str(table)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", WAITS_S)
def test_alert_fires_once_beyond_its_limit_and_after_its_wait(name: str, tmp_path: Path) -> None:
    firing, quiet = CASES[name]
    too_early_s, ends_s = WAITS_S[name] - INTERVAL_S, WAITS_S[name] + AFTERWARDS_S
    tests = [expectation(HEALTHY | series, name, within_s=ends_s) for series in firing]
    tests += [expectation(HEALTHY | series, within_s=ends_s) for series in quiet]
    if too_early_s > 0:
        tests += [expectation(HEALTHY | series, within_s=too_early_s) for series in firing]
    evaluate(tmp_path, *tests)


def test_only_the_gateways_alert_fires_without_metrics(tmp_path: Path) -> None:
    """While the process that Prometheus reads restarts, the others run on."""
    evaluate(tmp_path, expectation({}, "GatewayDown", within_s=AFTERWARDS_S))


def test_alerts_of_a_real_stack_name_the_processes_it_lacks(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        samples = metric_samples(server)
    roles = {sample.labels["role"] for sample in samples if sample.name == "crowdgame_process"}
    series = {sample.name + labels(sample.labels): constant(sample.value) for sample in samples}
    missing = [name for name, role in DOWN.items() if role not in roles]
    assert {"GatewayDown", "WorkerDown"}.isdisjoint(missing)
    evaluate(tmp_path, expectation(series, *missing, within_s=AFTERWARDS_S))
