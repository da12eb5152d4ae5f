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
from voting.metrics.metrics import take_role

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")

REST_S = 1.0

log = logging.getLogger(__name__)

app = Celery("crowdgame")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["voting.turns", "crowdgame.notifications"])


@setup_logging.connect
def log_like_the_house(**_: Any) -> None:
    """Django has set up logging already; that this is connected keeps Celery from doing so."""


@celeryd_init.connect
def begin_quietly(instance: Any, **_: Any) -> None:
    """A banner is no record."""
    take_role("worker")
    instance.quiet = True


@worker_init.connect
def check_data(**_: Any) -> None:
    """Celery swallows other exceptions of a receiver."""
    try:
        refuse_data_of_0_1()
    except CommandError as refusal:
        sys.exit(str(refusal))


@worker_process_init.connect
def be_a_worker(**_: Any) -> None:
    """Each process of the pool; figures are a process's own."""
    take_role("worker")


@dataclass(slots=True, weakref_slot=True, eq=False)
class Kept:
    """A worker's connection to the database: kept while one task follows the other.

    Not after a failure, nor over a rest, in which the database may have been restarted.
    """

    used_at: float = 0.0

    def begin(self, **_: Any) -> None:
        if time.monotonic() - self.used_at > REST_S:
            connections.close_all()

    def end(self, **_: Any) -> None:
        self.used_at = time.monotonic()

    def give_up(self, **_: Any) -> None:
        connections.close_all()


kept = Kept()
task_prerun.connect(kept.begin)
task_postrun.connect(kept.end)
task_failure.connect(kept.give_up)


@worker_ready.connect
def say_up(**_: Any) -> None:
    open_metrics_port()
    log.info("worker up")
