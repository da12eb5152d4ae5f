"""`manage.py scheduler`: run the deadline scheduler until SIGTERM."""

import logging
import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from crowdgame.maintenance.data_version import refuse_data_of_0_1
from crowdgame.server.config.open_files import raise_open_files_limit
from crowdgame.server.monitoring.port import open_metrics_port
from voting.ballot_box.ballot_box import BallotBox
from voting.metrics.metrics import set_process_role
from voting.sources.chat_connection import ChatServer
from voting.sources.chat_reader import run_chat_reader
from voting.turns.periodic import jobs_each_second
from voting.turns.scheduler import DeadlineScheduler

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Close turns at their deadline, start due matches and recover after crashes."
    requires_system_checks: list[str] = []  # restart fast: deadlines don't wait

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--read-chats", action="store_true", help="also do the work of `chatreader`")

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        set_process_role("scheduler")
        raise_open_files_limit()
        open_metrics_port()
        stopped = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stopped.set())
        if options["read_chats"]:
            server = ChatServer(*settings.TWITCH_CHAT)
            threading.Thread(target=run_chat_reader, args=(server, stopped), daemon=True).start()
        log.info("scheduler started")
        DeadlineScheduler(BallotBox(), chores=jobs_each_second()).run(stopped)
        log.info("scheduler stopped")
