"""Gateways, workers and schedulers: which run, and how many files they may open."""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from celery import current_app
from django.conf import settings

from crowdgame.maintenance.doctor.finding import Finding, not_visible
from crowdgame.maintenance.doctor.site import is_in_local_network
from crowdgame.server.monitoring.port import MetricsCollector
from voting.metrics.metrics import METRICS_DIR, PROCESS, SCHEDULER_LAST_RUN_AT

PING_TIMEOUT_S = 2.0
MAX_SCHEDULER_PAUSE_S = 5.0
Samples = Mapping[str, list[tuple[dict[str, str], float]]]
SPARE_FILES = 200  # of a gateway, besides its phones
QUEUES = {
    settings.TURNS_QUEUE: "closes turns",
    settings.BACKGROUND_QUEUE: "sends e-mails and casts conditional picks",
    **({settings.WEBHOOK_QUEUE: "sends webhooks"} if settings.WEBHOOKS != "off" else {}),
}
REMEDIES = {
    "gateway": "Read its log, and start it: on a server, `systemctl start crowdgame.target`.",
    "scheduler": "Read its log, and start it, better two of them: without one, no turn ends.",
}


def check_workers() -> Iterator[Finding]:
    """Ask the workers on all machines which queues they consume."""
    answers = current_app.control.inspect(timeout=PING_TIMEOUT_S).active_queues() or {}
    consumed = [{queue["name"] for queue in queues} for queues in answers.values()]
    for queue, work in QUEUES.items():
        if not any(queue in queues for queues in consumed):
            yield Finding(
                f"no Celery worker answers that {work}",
                f"Start `celery --app crowdgame worker --queues {queue}`, or read its log.",
            )
    both = {settings.TURNS_QUEUE, settings.BACKGROUND_QUEUE}
    if settings.EMAIL_ENABLED and any(queues >= both for queues in consumed):
        yield Finding(
            "a worker that closes turns also sends e-mails: turns wait for the mail server",
            "Start two workers, with `--queues celery` and `--queues background`.",
        )


def check_processes() -> Iterator[Finding]:
    """Check the gateways and schedulers of this machine by their metrics."""
    if not METRICS_DIR:
        yield not_visible(
            "gateways and schedulers are not visible without PROMETHEUS_MULTIPROC_DIR",
            "Run this command with the environment of a gateway, or see /metrics.",
        )
        return
    samples = read_samples()
    roles = {labels["role"] for labels, value in samples[PROCESS._name] if value}
    yield from role_findings(roles)
    paused_s = time.time() - max((value for _, value in samples[SCHEDULER_LAST_RUN_AT._name]), default=0.0)
    if "scheduler" in roles and paused_s > MAX_SCHEDULER_PAUSE_S:
        problem = f"no scheduler has checked the deadlines for {min(paused_s, 9_999):.0f} s"
        yield Finding(problem, "Read the log of the schedulers, and restart them.")
    yield from _open_files(samples["process_max_fds"])


def role_findings(roles: Collection[str]) -> Iterator[Finding]:
    """Check which processes run. With several machines, only the main one has more than gateways."""
    if set(roles) == {"gateway"}:
        yield not_visible("only gateways run on this machine", "Check the main machine, too.")
        return
    for role, remedy in REMEDIES.items():
        if role not in roles:
            yield Finding(f"no {role} is running", remedy)


def _open_files(limits: list[tuple[dict[str, str], float]]) -> Iterator[Finding]:
    """A gateway refuses phones beyond its limit. A local network has no 20,000 phones: there it is a hint."""
    needed = settings.EVENT_PHONES + SPARE_FILES
    for labels, limit in limits:
        if labels["role"] == "gateway" and limit < needed:
            yield Finding(
                f"gateway {labels['pid']} may open {limit:.0f} files, but "
                f"EVENT_PHONES={settings.EVENT_PHONES} needs {needed}",
                "Raise `LimitNOFILE=` or `ulimit -n`, or lower EVENT_PHONES.",
                is_wrong=not is_in_local_network(),
            )


def read_samples() -> Samples:
    """Return the labels and values of all metrics by name."""
    found = defaultdict(list)
    for metric in MetricsCollector().collect():
        for sample in metric.samples:
            found[sample.name].append((dict(sample.labels), sample.value))
    return found
