"""`manage.py analyzer`: analyze resolved turns until SIGTERM."""

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from crowdgame.maintenance.data_version import refuse_data_of_0_1
from crowdgame.results.analysis.analyzer import Analyzer
from crowdgame.server.monitoring.port import open_metrics_port
from voting.ballot_box.ballot_box import BallotBox
from voting.metrics.metrics import set_process_role

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Compare the votes of resolved turns with best play."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        set_process_role("analyzer")
        open_metrics_port()
        stopped = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stopped.set())
        log.info("analyzer started")
        Analyzer(BallotBox()).run(stopped)
        log.info("analyzer stopped")
