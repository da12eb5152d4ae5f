"""Celery application of the workers: logging, startup check, metrics and database connections."""

import logging
import os
import sys
import threading
import time
from typing import Any

from celery import Celery
from celery.signals import (
    celeryd_init,
    setup_logging,
    task_failure,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_ready,
)
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

from crowdgame.maintenance.data_version import refuse_data_of_0_1
from crowdgame.server.config.open_files import raise_open_files_limit
from crowdgame.server.monitoring.port import open_metrics_port
from voting.metrics.metrics import CurrentProcess, ProcessRole, set_process_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")

IDLE_RECONNECT_S = 1.0
# By the queues that a worker consumes.
WORKER_ROLES: dict[tuple[str, ...], ProcessRole] = {
    (settings.BACKGROUND_QUEUE,): "background",
    (settings.WEBHOOK_QUEUE,): "webhooks",
}

log = logging.getLogger(__name__)

app = Celery("crowdgame")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(
    [
        "voting.turns",
        "voting.sources",
        "crowdgame.accounts",
        "crowdgame.play.duels",
        "crowdgame.play.notifications",
        "crowdgame.organizer.api",
    ]
)


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Keep Django's logging setup. A receiver of this signal stops Celery from configuring logging."""


@celeryd_init.connect
def configure_worker(instance: Any, options: Any, **_: Any) -> None:
    """Set the metrics role, raise the limit of open files and suppress the banner, which is no log record."""
    raise_open_files_limit()
    set_process_role(WORKER_ROLES.get(tuple(options["queues"] or ()), "worker"))
    instance.quiet = True


@worker_init.connect
def check_data(**_: Any) -> None:
    """Exit if the database was written by crowdgame 0.1.

    Raises SystemExit, because Celery swallows other exceptions of a signal receiver.
    """
    try:
        refuse_data_of_0_1()
    except CommandError as refusal:
        sys.exit(str(refusal))


@worker_process_init.connect
def configure_pool_process(**_: Any) -> None:
    """Set the metrics role in each pool process, because metrics are kept per process."""
    set_process_role(CurrentProcess.role)


class TaskConnections(threading.local):
    """Reuses the database connections of a worker's thread between consecutive tasks.

    Closes them after a failed task, and before a task that follows more than IDLE_RECONNECT_S of idle time.
    The database may have been restarted meanwhile.
    """

    used_at: float = 0.0

    def before_task(self, **_: Any) -> None:
        if time.monotonic() - self.used_at > IDLE_RECONNECT_S:
            connections.close_all()

    def after_task(self, **_: Any) -> None:
        self.used_at = time.monotonic()

    def on_failure(self, **_: Any) -> None:
        connections.close_all()


task_connections = TaskConnections()
task_prerun.connect(task_connections.before_task)
task_postrun.connect(task_connections.after_task)
task_failure.connect(task_connections.on_failure)


@worker_ready.connect
def announce_ready(**_: Any) -> None:
    """Open the metrics port. Raises OSError if it is in use."""
    open_metrics_port()
    log.info("worker started")
