"""`manage.py chatreader`: cast the votes in the chats of open turns until SIGTERM."""

import logging
import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from crowdgame.maintenance.data_version import refuse_data_of_0_1
from crowdgame.server.monitoring.port import open_metrics_port
from voting.metrics.metrics import set_process_role
from voting.sources.chat_connection import ChatServer
from voting.sources.chat_reader import run_chat_reader

log = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Cast the votes in the chats of open turns."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_data_of_0_1()
        set_process_role("chatreader")
        open_metrics_port()
        stopped = threading.Event()
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, lambda *_: stopped.set())
        log.info("chat reader started")
        run_chat_reader(ChatServer(*settings.TWITCH_CHAT), stopped)
        log.info("chat reader stopped")
