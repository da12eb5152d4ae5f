"""Prometheus metrics of this process, exposed at `/metrics`.

No metric distinguishes teams, sides, columns or events. So reading `/metrics` during a window shows the load
of the machines, never the state of a vote. With PROMETHEUS_MULTIPROC_DIR set, the metrics of all processes of
a machine are collected in that folder.
"""

import os
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values

from voting.metrics.process_slots import ProcessSlots

METRICS_DIR = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
PROCESS_SLOTS = ProcessSlots(Path(METRICS_DIR)) if METRICS_DIR else None
if PROCESS_SLOTS:
    values.ValueClass = values.MultiProcessValue(PROCESS_SLOTS.mine)  # type: ignore[no-untyped-call]

SECONDS_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
BATCH_SIZE_BUCKETS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)

ProcessRole = Literal[
    "gateway",
    "pages",
    "worker",
    "background",
    "webhooks",
    "scheduler",
    "analyzer",
    "chatreader",
    "command",
]
RefusalKind = Literal[
    "ballot",
    "change",
    "cheer",
    "receipt",
    "frame",
    "display",
    "chat",
    "page",
    "login",
    "document",
    "download",
    "upload",
    "api",
    "connection",
]
REGISTRY = CollectorRegistry()
_seconds = partial(Histogram, registry=REGISTRY, buckets=SECONDS_BUCKETS)

CONNECTIONS = Gauge(
    "crowdgame_connections",
    "Open WebSockets by kind: phone, display, console or chat.",
    ["kind"],
    registry=REGISTRY,
    multiprocess_mode="livesum",
)
JOINS = Counter(
    "crowdgame_joins",
    "Join requests by outcome: seated (new voter), returned, refused or crowded (asked to retry).",
    ["outcome"],
    registry=REGISTRY,
)
BALLOTS = Counter(
    "crowdgame_ballots",
    "Ballots by outcome: counted or refused.",
    ["outcome"],
    registry=REGISTRY,
)
BATCH_SIZE = Histogram(
    "crowdgame_batch_size",
    "Ballots per call to the ballot box.",
    registry=REGISTRY,
    buckets=BATCH_SIZE_BUCKETS,
)
ACK_S = _seconds(
    "crowdgame_ack_seconds", "Time from the arrival of a batch's oldest ballot to its acknowledgement."
)
BROADCAST_S = _seconds("crowdgame_broadcast_seconds", "Time from the first to the last write of a broadcast.")
SLOW_CONSUMERS = Counter(
    "crowdgame_slow_consumers",
    "WebSockets closed because the client read too slowly.",
    registry=REGISTRY,
)
LOOP_LAG_S = _seconds("crowdgame_loop_lag_seconds", "Delay of a gateway's heartbeat, for each that was due.")
REFUSALS = Counter(
    "crowdgame_refusals",
    "What was refused or dropped because there was too much of it, by kind. Joins are counted apart.",
    ["kind"],
    registry=REGISTRY,
)
CLOSE_LAG_S = _seconds("crowdgame_close_lag_seconds", "Time from a turn's deadline to its seal.")
RESOLVE_LAG_S = _seconds(
    "crowdgame_resolve_lag_seconds", "Time from when a turn is to be revealed to its result in the database."
)
RELAY_LAG_S = _seconds(
    "crowdgame_relay_lag_seconds",
    "Time from a change in the database to its announcement on the channel layer.",
)
SCHEDULER_LAST_RUN_AT = Gauge(
    "crowdgame_scheduler_last_run_timestamp_seconds",
    "Unix time at which a scheduler last checked the deadlines.",
    registry=REGISTRY,
    multiprocess_mode="livemax",
)
PROCESS = Gauge(
    "crowdgame_process",
    "1 for each process, by role: " + ", ".join(get_args(ProcessRole)) + ".",
    ["role"],
    registry=REGISTRY,
    multiprocess_mode="liveall",
)

# Create each label value, so that a counter without events reads 0 instead of being absent.
for metric, label_values in (
    (CONNECTIONS, ("phone", "display", "console", "chat")),
    (JOINS, ("seated", "returned", "refused", "crowded")),
    (BALLOTS, ("counted", "refused")),
    (REFUSALS, get_args(RefusalKind)),
):
    for label_value in label_values:
        metric.labels(label_value)


def count_refusal(kind: RefusalKind) -> None:
    REFUSALS.labels(kind).inc()


class CurrentProcess:
    """The role of this process, for its logs and metrics."""

    role: ProcessRole = "command"


def set_process_role(role: ProcessRole) -> None:
    """Set the role of this process and mark it as up in the `crowdgame_process` gauge."""
    CurrentProcess.role = role
    PROCESS.labels(role).set(1)
