"""Alerts for Prometheus, and the rules and the page generated from them.

`manage.py generate_settings` writes `deploy/grafana/alerts.yaml` and `docs/generated/alerts.md`.
"""

from collections.abc import Iterable
from typing import NamedTuple

from crowdgame.server.config.open_files import RESERVED_FILES

RULES_HEADER = """\
# Prometheus alerting rules. List this file under `rule_files`.
# Generated from crowdgame/server/monitoring/alerts.py by `manage.py generate_settings`. Do not edit.
groups:
  - name: crowdgame
    rules:
"""
PAGE_HEADER = """\
# Alerts

<!-- Generated from crowdgame/server/monitoring/alerts.py by `manage.py generate_settings`. Do not edit. -->

`deploy/grafana/alerts.yaml` has the expressions. *page*: act at once. *warn*: look at it soon.
The [runbook](../runbook.md) says how.
How to [scrape the metrics](../operations.md#monitoring).
"""
DAY_S = 24 * 3600


class Alert(NamedTuple):
    """A rule without the prefix `Crowdgame` of its name. It fires if `expression` holds for `lasts`."""

    name: str
    expression: str
    meaning: str
    remedy: str
    lasts: str = "0s"
    severity: str = "warn"


ZERO_IF_SCRAPED = "0 * sum(crowdgame_process)"  # 0, or nothing if Prometheus cannot read the metrics


def _missing(role: str, otherwise: str = ZERO_IF_SCRAPED) -> str:
    return f'(sum(crowdgame_process{{role="{role}"}}) or {otherwise}) == 0'


def _quantile(share: float, histogram: str, window: str, limit: float) -> str:
    return f"histogram_quantile({share}, sum by (le) (rate({histogram}_bucket[{window}]))) > {limit:g}"


PROCESSES = (
    Alert(
        "GatewayDown",
        _missing("gateway", otherwise="vector(0)"),
        "No gateway is running, or Prometheus cannot read the metrics",
        "Phones and screens cannot connect. Read the gateways' logs. The supervisor keeps restarting them.",
        lasts="30s",
        severity="page",
    ),
    Alert(
        "SchedulerDown",
        f"(time() - (max(crowdgame_scheduler_last_run_timestamp_seconds) or {ZERO_IF_SCRAPED})) > 5",
        "No scheduler checks the deadlines",
        "Turns do not close. Start a scheduler, or check that it can reach the database and the ballot box.",
        lasts="10s",
        severity="page",
    ),
    Alert(
        "WorkerDown",
        _missing("worker"),
        "No worker is running",
        "The scheduler closes turns itself, about a second late. Start the worker, or read its log.",
        lasts="30s",
    ),
    Alert(
        "BackgroundWorkerDown",
        _missing("background"),
        "No background worker is running",
        "E-mails and conditional picks wait. Start the background worker, or read its log.",
        lasts="2m",
    ),
    Alert(
        "WebhookWorkerDown",
        _missing("webhooks"),
        "No webhook worker is running",
        "Webhooks and push notifications wait. Start their worker, or read its log.",
        lasts="5m",
    ),
    Alert(
        "ChatReaderDown",
        _missing("chatreader"),
        "No chat reader is running",
        "Votes in stream chats are lost. Start the chat reader, or read its log.",
        lasts="30s",
    ),
    Alert(
        "AnalyzerDown",
        _missing("analyzer"),
        "No analyzer is running",
        "Reports show no analysis of new turns. Start the analyzer, or read its log.",
        lasts="5m",
    ),
    Alert(
        "FileDescriptorsLow",
        'max by (instance, pid) (process_open_fds{role="gateway"}'
        f' / (process_max_fds{{role="gateway"}} - {RESERVED_FILES})) > 0.9',
        "A gateway is close to its limit of open files",
        "It soon refuses new connections. Raise the limit (LimitNOFILE, ulimit -n), or start more gateways.",
        lasts="30s",
    ),
)
VOTING = (
    Alert(
        "TurnsClosedLate",
        _quantile(0.99, "crowdgame_close_lag_seconds", "2m", 1),
        "Turns close more than a second after their deadline",
        "Check that workers are running, the machine's load, and how fast the ballot box writes to disk.",
    ),
    Alert(
        "ResultsLate",
        _quantile(0.99, "crowdgame_resolve_lag_seconds", "2m", 1),
        "Results are stored more than a second after the deadline",
        "If turns close on time, the database is slow: check its load, its disk and long transactions.",
    ),
    Alert(
        "AnnouncementsDelayed",
        _quantile(0.99, "crowdgame_relay_lag_seconds", "2m", 1),
        "Announcements reach the channel layer more than a second late",
        "The channel layer is slow or was away. Pending announcements are sent as soon as it responds.",
    ),
    Alert(
        "BallotsAcknowledgedLate",
        _quantile(0.99, "crowdgame_ack_seconds", "1m", 1),
        "Ballots are acknowledged more than a second after they arrive",
        "Check the gateways' heartbeat delay and the ballot box. A slow disk delays every ballot.",
        lasts="15s",
    ),
    Alert(
        "BatchesFull",
        _quantile(0.5, "crowdgame_batch_size", "1m", 1_000),
        "Half of the calls to the ballot box carry over 1,000 ballots",
        "The ballot box is slower than the ballots arrive. Check its CPU and its disk, or use a cluster.",
        lasts="1m",
    ),
    Alert(
        "BallotsRefused",
        'sum(rate(crowdgame_ballots_total{outcome="refused"}[2m]))'
        " > 0.1 * sum(rate(crowdgame_ballots_total[2m]))",
        "A tenth of the ballots is refused",
        "Ballots arrive too late or are invalid. Check the time to acknowledge and the audience's network.",
        lasts="2m",
    ),
)
CONNECTIONS = (
    Alert(
        "GatewayOverloaded",
        _quantile(0.9, "crowdgame_loop_lag_seconds", "1m", 0.5),
        "Gateway heartbeats are more than half a second late",
        "A gateway uses at most one core. Start more gateways, on another machine if no core is free.",
        lasts="30s",
    ),
    Alert(
        "BroadcastsSlow",
        _quantile(0.99, "crowdgame_broadcast_seconds", "1m", 1),
        "Broadcasts take more than a second",
        "A gateway has too many phones or no CPU time. Start more gateways.",
        lasts="30s",
    ),
    Alert(
        "ConnectionsLost",
        "sum(crowdgame_connections) < 0.5 * sum(crowdgame_connections offset 1m)"
        " and sum(crowdgame_connections offset 1m) > 100",
        "Half of the phones and screens have disconnected within a minute",
        "Expected at the end of an event. Otherwise check the gateways, the proxy and the wireless network.",
    ),
    Alert(
        "SlowClients",
        "sum(increase(crowdgame_slow_consumers_total[1m])) > 100",
        "Over 100 clients a minute are disconnected because they read too slowly",
        "Check the wireless network and the server's upload bandwidth. The phones reconnect by themselves.",
    ),
    Alert(
        "JoinsDeferred",
        'sum(rate(crowdgame_joins_total{outcome="crowded"}[1m])) > 0',
        "Phones are asked to join later",
        "A gateway has reached EVENT_PHONES or its open files, or admits slowly. Start more gateways.",
        lasts="1m",
    ),
    Alert(
        "RequestsRefused",
        'sum(rate(crowdgame_refusals_total{kind!="cheer"}[1m])) > 1',
        "More than one request a second is refused",
        "The dashboard shows which kind. Votes have priority: only refused ballots concern them.",
        lasts="1m",
    ),
)
MACHINE = (
    Alert(
        "NotReady",
        'probe_success{job="crowdgame-ready"} == 0',
        "The database, the ballot box or the channel layer does not answer",
        "/readyz/services on the machine names it. Start PostgreSQL or Valkey, or read its log.",
        lasts="30s",
        severity="page",
    ),
    Alert(
        "Unreachable",
        'probe_success{job="crowdgame-public"} == 0',
        "The public address does not answer",
        "Check the DNS name, the certificate, nginx or the ingress, and the gateways.",
        lasts="30s",
        severity="page",
    ),
    Alert(
        "CertificateExpires",
        f'probe_ssl_earliest_cert_expiry{{job="crowdgame-public"}} - time() < {14 * DAY_S}',
        "The certificate expires in less than two weeks",
        "certbot should have renewed it: run `certbot renew`, and check its timer and port 80.",
        lasts="1h",
    ),
    Alert(
        "DiskFull",
        'min by (instance, mountpoint) (node_filesystem_avail_bytes{fstype!~"tmpfs|ramfs|overlay|squashfs"}'
        ' / node_filesystem_size_bytes{fstype!~"tmpfs|ramfs|overlay|squashfs"}) < 0.1',
        "Less than a tenth of a disk is free",
        "A full disk stops all voting. Delete old releases, backups and logs, or enlarge the disk.",
        lasts="5m",
        severity="page",
    ),
    Alert(
        "MemoryLow",
        "node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.1",
        "Less than a tenth of the memory is free",
        "Find the process in /metrics (`process_resident_memory_bytes`), and restart it or add memory.",
        lasts="2m",
    ),
    Alert(
        "BackupOld",
        # 0 before the first night
        'time() - (node_systemd_timer_last_trigger_seconds{name="crowdgame-backup.timer"} != 0)'
        f" > {2 * DAY_S}",
        "The nightly backup has not run for two days",
        "Run `systemctl start crowdgame-backup`, and check that crowdgame-backup.timer is enabled.",
        lasts="1h",
    ),
    Alert(
        "BackupFailed",
        'node_systemd_unit_state{name="crowdgame-backup.service", state="failed"} == 1',
        "The last backup has failed",
        "Read `journalctl -u crowdgame-backup`. Often the disk is full or `pg_dump` is too old.",
    ),
)
ALERTS = {
    "Processes": PROCESSES,
    "Voting": VOTING,
    "Connections": CONNECTIONS,
    "Machine and services": MACHINE,
}


def render_rules() -> str:
    """Return the rules as YAML. The output is deterministic."""
    return RULES_HEADER + "".join(_rule(alert) for alerts in ALERTS.values() for alert in alerts)


def _rule(alert: Alert) -> str:
    return f"""\
      - alert: Crowdgame{alert.name}
        expr: {_quote(alert.expression)}
        for: {alert.lasts}
        labels: {{severity: {alert.severity}}}
        annotations:
          summary: {_quote(alert.meaning)}
          description: {_quote(alert.remedy)}
"""


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def render_page() -> str:
    """Return the page of all alerts in Markdown. The output is deterministic."""
    blocks = [PAGE_HEADER.rstrip()]
    for title, alerts in ALERTS.items():
        blocks += [f"## {title}", _table(alerts)]
    return "\n\n".join(blocks) + "\n"


def _table(alerts: Iterable[Alert]) -> str:
    rows = [f"| `Crowdgame{one.name}` ({one.severity}) | {one.meaning} | {one.remedy} |" for one in alerts]
    return "\n".join(["| alert | meaning | what to do |", "| --- | --- | --- |", *rows])
