"""Prometheus metrics of all processes on this machine, and a metrics port for processes without HTTP."""

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from django.conf import settings
from prometheus_client import ProcessCollector, generate_latest, start_http_server
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from voting.metrics.metrics import METRICS_DIR, PROCESS, PROCESS_SLOTS, REGISTRY

LIVE_FILE = re.compile(r"gauge_live[a-z]+_(\d+)\.db")


class MetricsCollector(Collector):
    """Collects all metrics, and the CPU, memory and open files of each running process."""

    def collect(self) -> Iterator[Metric]:
        counted = list(_collect())
        yield from counted
        yield from _process_usage(counted)


def metrics_text() -> bytes:
    """Return all metrics in the Prometheus text format. Blocking file I/O: call it in a thread."""
    return generate_latest(MetricsCollector())


def open_metrics_port() -> None:
    """Serve `/metrics` at METRICS_PORT in a separate thread, if the port is set. Raises OSError."""
    if settings.METRICS_PORT:
        start_http_server(settings.METRICS_PORT, settings.METRICS_HOST, MetricsCollector())


def _collect() -> Iterable[Metric]:
    if PROCESS_SLOTS is None:
        return REGISTRY.collect()
    held = PROCESS_SLOTS.held()
    counted: Iterable[Metric] = MultiProcessCollector.merge(_files(held))  # type: ignore[no-untyped-call]
    return [_with_process_ids(metric, held) if metric.name == PROCESS._name else metric for metric in counted]


def _files(held: Container[str]) -> list[str]:
    """Return the metric files to merge, without empty ones and live gauges of slots that aren't held.

    A process that is killed leaves the files of its live gauges behind.
    """
    live = ((path, LIVE_FILE.fullmatch(path.name)) for path in Path(METRICS_DIR).glob("*.db"))
    return [str(path) for path, slot in live if (slot is None or slot[1] in held) and _is_filled(path)]


def _is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:  # a process that takes a slot deletes the slot's files first
        return False


def _with_process_ids(metric: Metric, held: Mapping[str, str]) -> Metric:
    """Return the metric with each process slot in the `pid` label replaced by its process id."""
    relabeled = Metric(metric.name, metric.documentation, metric.type)
    for sample in metric.samples:
        relabeled.add_sample(sample.name, {**sample.labels, "pid": held[sample.labels["pid"]]}, sample.value)
    return relabeled


def _process_usage(counted: Iterable[Metric]) -> Iterator[Metric]:
    """Yield CPU, memory and open files of each process that has a role."""
    gathered: dict[str, Metric] = {}
    for role, pid in _processes(counted):
        for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
            known = gathered.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
            for sample in metric.samples:
                known.add_sample(sample.name, {"role": role, "pid": pid}, sample.value)
    yield from gathered.values()


def _processes(counted: Iterable[Metric]) -> Iterator[tuple[str, str]]:
    me = str(os.getpid())
    for metric in counted:
        if metric.name == PROCESS._name:
            for sample in metric.samples:
                yield sample.labels["role"], sample.labels.get("pid", me)
