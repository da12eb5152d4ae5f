"""`manage.py rehearse CODE`: a crowd of simulated phones, over real WebSockets, joins and plays.

Without --turns it plays until the match is over. Exit status 1, and one line, when there is no
server or no such event. Needs neither database nor Redis, only the server's address.
"""

import asyncio
import gc
import resource
import signal
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from voting.rehearsal.crowd import Crowd, Plan, RehearsalError
from voting.rehearsal.display import Display
from voting.rehearsal.hall import Hall
from voting.rehearsal.kept_seats import read_seats
from voting.rehearsal.ledger import Ledger
from voting.rehearsal.profile import PROFILES
from voting.rehearsal.report import Report
from voting.rehearsal.server_clock import ServerClock
from voting.rehearsal.wire import phone_address

TURNS_KEPT = 50
SPARE_FILES = 64
GC_THRESHOLD = 50_000


class Command(BaseCommand):
    help = "Let a crowd of simulated phones join an event and play."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("code", metavar="CODE", help="the event's join code")
        parser.add_argument(
            "--url", default="http://127.0.0.1:8000", help="the server (default: %(default)s)"
        )
        parser.add_argument("--phones", type=_count, default=200, help="how many (default: %(default)s)")
        parser.add_argument("--joins", type=_count, default=200, metavar="N", help="joins a second")
        parser.add_argument("--team", type=int, choices=(1, 2), help="where an event lets its voters choose")
        parser.add_argument("--turns", type=_count, help="leave after so many turns, not after the match")
        parser.add_argument("--profile", choices=PROFILES, default="spread", help="when voters vote")
        parser.add_argument("--until-stopped", action="store_true", help="play for ever, server or not")
        parser.add_argument(
            "--json", type=Path, metavar="REPORT", help="write the report and the ledger there"
        )
        parser.add_argument(
            "--seats", type=Path, metavar="FILE", help="keep the seats there: the same crowd again"
        )
        parser.add_argument("--seed", type=int, help="of the crowd's moods and moments")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console()
        try:
            _allow_sockets(options["phones"])
            report = asyncio.run(_rehearse(options, Display(console)))
            if options["json"]:
                options["json"].write_bytes(msgspec.json.encode(report))
        except (RehearsalError, ValueError, OSError) as trouble:
            raise CommandError(str(trouble)) from trouble


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("a whole number from 1 up, please")
    return int(text)


def _allow_sockets(phones: int) -> None:
    """Each phone is an open file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = phones + SPARE_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise RehearsalError(f"{phones} phones need {needed} open files, the limit here is {hard}")
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _hall(options: dict[str, Any]) -> Hall:
    code = options["code"].upper()
    return Hall(
        code=code,
        address=phone_address(options["url"]),
        profile=options["profile"],
        clock=ServerClock(asyncio.get_running_loop().time),
        ledger=Ledger(TURNS_KEPT if options["until_stopped"] else None),
        rng=Random(options["seed"]),  # noqa: S311
        team=options["team"],
        tokens=read_seats(options["seats"], code) if options["seats"] else {},
    )


def _plan(options: dict[str, Any]) -> Plan:
    return Plan(
        phones=options["phones"],
        joins_a_second=options["joins"],
        turns=options["turns"],
        until_stopped=options["until_stopped"],
        seats=options["seats"],
    )


async def _rehearse(options: dict[str, Any], display: Display) -> Report:
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    crowd = Crowd(_plan(options), _hall(options), display.show)
    with suppress(NotImplementedError):
        for ending in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(ending, crowd.stop)
    with display.running():
        report = await crowd.play()
    display.finish(report)
    return report
