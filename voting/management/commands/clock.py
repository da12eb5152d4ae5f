"""`manage.py clock`: run the clock until SIGTERM."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from voting.ballot_box import BallotBox
from voting.clock import Clock


class Command(BaseCommand):
    help = "Wakes a worker at each deadline, starts matches that are due, and makes good what a crash left."

    def handle(self, *args: Any, **options: Any) -> None:
        stopped = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stopped.set())
        Clock(BallotBox()).run(stopped)
