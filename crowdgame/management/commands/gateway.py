"""`manage.py gateway`: run one gateway (pages, WebSockets and Django on one port) until SIGTERM drains it."""

import os
import re
import socket
import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from crowdgame.maintenance.data_version import refuse_data_of_0_1
from crowdgame.server.config.environment import MAX_PORT, Gateways
from crowdgame.server.config.open_files import raise_open_files_limit
from crowdgame.server.laptop.stack import SERVERS
from crowdgame.server.serving.listener import adopt_listener, listen
from crowdgame.server.serving.service import Service
from voting.metrics.metrics import set_process_role

PORT = 8000
DRAIN_S = 5.0
# A thread that renders a page keeps the interpreter for so long while the event loop waits for it, several
# times for each vote. Python's default is 5 ms.
SWITCH_INTERVAL_S = 0.0001


class Command(BaseCommand):
    help = "Run a gateway. On SIGTERM it drains: clients reconnect elsewhere and pending ballots are stored."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--server", default=Gateways.GATEWAY, help=f"{' or '.join(SERVERS)} (default: $GATEWAY or daphne)"
        )
        parser.add_argument("--host", default="127.0.0.1", help="listen on this address (127.0.0.1)")
        parser.add_argument("--port", type=_port_number, default=PORT, help=f"listen on this port ({PORT})")
        parser.add_argument("--fd", type=int, help="listen on this inherited socket instead")
        parser.add_argument("--drain-s", type=float, default=DRAIN_S, help=f"seconds to drain ({DRAIN_S:g})")
        parser.add_argument(
            "--pages", action="store_true", help="count as `pages`: the proxy sends no phones here"
        )
        parser.add_argument(
            "--proxied",
            action="store_true",
            help="trust X-Forwarded-For and X-Forwarded-Proto of $TRUSTED_PROXIES (1) reverse proxies",
        )

    def handle(self, *_: Any, **asked: Any) -> None:
        if asked["server"] not in SERVERS:
            raise CommandError(f"Unknown server {asked['server']}. Choose {' or '.join(SERVERS)}.")
        set_process_role("pages" if asked["pages"] else "gateway")
        refuse_data_of_0_1()
        raise_open_files_limit()
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        listener = _listener(asked)
        asgi = import_module("crowdgame.asgi")
        proxies = settings.TRUSTED_PROXIES if asked["proxied"] else 0
        uploads = re.compile(settings.UPLOAD_PATHS.encode())
        service = Service(asgi.application, listener, drain, asked["drain_s"], proxies, uploads)
        import_module(f"crowdgame.server.serving.on_{asked['server']}").serve(service)


def _port_number(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MAX_PORT:
        raise ValueError(text)
    return number


def _listener(asked: dict[str, Any]) -> socket.socket:
    host, port, number = asked["host"], asked["port"], asked["fd"]
    try:
        return listen(host, port) if number is None else adopt_listener(number)
    except OSError as failure:
        where = f"{host} port {port}" if number is None else f"descriptor {number}"
        reason = os.strerror(failure.errno) if failure.errno else failure
        raise CommandError(f"Cannot listen on {where}: {reason}.") from None


async def drain(within_s: float) -> None:
    """Mark the gateway as draining and close its sockets within `within_s` seconds, if it has any."""
    from crowdgame.server.monitoring.readiness import readiness  # noqa: PLC0415
    from voting.gateway.gateway import gateway  # noqa: PLC0415

    readiness.draining = True
    if gateway.cache_info().currsize:
        await gateway().drain(within_s)
