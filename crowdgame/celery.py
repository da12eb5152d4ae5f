import logging
import os
import sys
import time
from dataclasses import dataclass
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
from django.core.management.base import CommandError
from django.db import connections

from crowdgame.monitoring.port import open_metrics_port
from crowdgame.operations.data_version import refuse_data_of_0_1
from voting.metrics.metrics import set_process_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")

IDLE_RECONNECT_S = 1.0

log = logging.getLogger(__name__)

app = Celery("crowdgame")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["voting.turns", "crowdgame.notifications"])


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Django has set up logging already; that this is connected keeps Celery from doing so."""


@celeryd_init.connect
def configure_worker(instance: Any, **_: Any) -> None:
    """A banner is no record."""
    set_process_role("worker")
    instance.quiet = True


@worker_init.connect
def check_data(**_: Any) -> None:
    """Celery swallows other exceptions of a receiver."""
    try:
        refuse_data_of_0_1()
    except CommandError as refusal:
        sys.exit(str(refusal))


@worker_process_init.connect
def configure_pool_process(**_: Any) -> None:
    """Each process of the pool; figures are a process's own."""
    set_process_role("worker")


@dataclass(slots=True, weakref_slot=True, eq=False)
class TaskConnections:
    """A worker's connection to the database: kept while one task follows the other.

    Not after a failure, nor over a rest, in which the database may have been restarted.
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
    open_metrics_port()
    log.info("worker up")
