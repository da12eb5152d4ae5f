import logging
import os
from typing import Any

from celery import Celery
from celery.signals import celeryd_init, setup_logging, task_failure, worker_process_init, worker_ready
from django.db import connections

from voting.metrics.figures import take_role
from voting.metrics.port import open_metrics_port

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "crowdgame.settings")

log = logging.getLogger(__name__)

app = Celery("crowdgame")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["voting"])


@setup_logging.connect
def log_like_the_house(**_: Any) -> None:
    """Django has set up logging already; that this is connected keeps Celery from doing so."""


@celeryd_init.connect
def begin_quietly(instance: Any, **_: Any) -> None:
    """A banner is no record."""
    take_role("worker")
    instance.quiet = True


@worker_process_init.connect
def be_a_worker(**_: Any) -> None:
    """Each process of the pool; figures are a process's own."""
    take_role("worker")


@task_failure.connect
def connect_anew(**_: Any) -> None:
    """Its connection is kept from task to task, unless it may be what failed."""
    connections.close_all()


@worker_ready.connect
def say_up(**_: Any) -> None:
    open_metrics_port()
    log.info("worker up")
