"""`crowdgame rehearse ADDRESS`: load generator for load tests. Simulated phones vote over real WebSockets.

Needs neither database nor Redis, only the server's address.
"""

import asyncio
import gc
import resource
import signal
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan, RehearsalError
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.join_keys import KeySource, read_keys
from crowdgame.rehearsal.profile import PROFILES
from crowdgame.rehearsal.progress_display import Display
from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.rehearsal.saved_seats import read_seats
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from crowdgame.server.serving.event_loop import new_event_loop
from voting.typed_codes import normalize_code

TURNS_KEPT = 50
SPARE_FILES = 64
GC_THRESHOLD = 1_000_000

HELP = """\
Simulate a crowd of phones that join an event and vote over real WebSockets until the match ends.

The day before the event:
  1. Create a separate event on the server that you will use, with the same game and time to vote. Open the
     lobby. The results of a rehearsal stay in the event's records.
  2. From another computer, simulate as many phones as you expect people:
       crowdgame rehearse http://SERVER/CODE --phones 2000
     Then choose Start the match in the console. Watch the projector and vote with a real phone.
  3. Try the other profiles: --profile burst (all vote at once), last-second, herd (all lose the network and
     reconnect at once), churn (phones keep changing networks).
  4. Read the report. It is good if no ballot is lost and 99% are acknowledged within 250 ms. Exit status 1
     means: no server, no such event, or an acknowledged ballot is missing in a tally.

Ctrl-C stops the rehearsal and prints the report so far.
"""

PROFILE_HELP = (
    "when votes arrive: over the whole window (spread), in its first two seconds (burst) or in the last one "
    "(last-second); or network trouble: all phones join at once, lose the network in the middle of a window "
    "and reconnect at once (herd), or 2%% of them change networks every second (churn)"
)


class Command(BaseCommand):
    help = HELP
    requires_system_checks: list[str] = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter
        return parser

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "event", metavar="ADDRESS", help="the event's address (http://SERVER/CODE), or its join code"
        )
        parser.add_argument(
            "--url", default="http://127.0.0.1:8000", help="the server of a join code (default: %(default)s)"
        )
        parser.add_argument(
            "--source",
            default="",
            metavar="ADDRESSES",
            help="this computer's addresses to connect from, separated by commas; one is enough for 28,000 "
            "phones, but over 1,000 for each make Linux search long for a free port",
        )
        parser.add_argument(
            "--phones", type=_count, default=200, help="number of phones (default: %(default)s)"
        )
        parser.add_argument(
            "--joins", type=_count, metavar="N", help="joins per second (default: all join within 20 s)"
        )
        parser.add_argument(
            "--team", type=int, choices=(1, 2), help="the team to join, if voters choose their team"
        )
        parser.add_argument(
            "--turns", type=_count, help="leave after this many turns instead of after the match"
        )
        parser.add_argument("--profile", choices=PROFILES, default="spread", help=PROFILE_HELP)
        parser.add_argument(
            "--side-changes",
            type=_share,
            default=0.0,
            metavar="SHARE",
            help="share of voters who change sides before each turn, if sides are secret (0 to 1)",
        )
        parser.add_argument(
            "--until-stopped",
            action="store_true",
            help="keep playing until stopped, even if the server is down",
        )
        parser.add_argument(
            "--json", type=Path, metavar="REPORT", help="write the report and the ledger to this file"
        )
        parser.add_argument(
            "--seats", type=Path, metavar="FILE", help="store seats in this file to reuse the same crowd"
        )
        parser.add_argument(
            "--tickets",
            type=Path,
            metavar="FILE",
            help="for events with tickets: a file with one code per line, or of `manage.py tickets --csv`",
        )
        parser.add_argument("--seed", type=int, help="seed of the random generator")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            _allow_sockets(options["phones"])
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                report = runner.run(_rehearse(options, Display(sys.stdout)))
            if options["json"]:
                options["json"].write_bytes(msgspec.json.encode(report))
        except (RehearsalError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        if report.ballots.missing:
            raise CommandError(_missing(report))


def _missing(report: RehearsalReport) -> str:
    turns = ", ".join(str(entry.number) for entry in report.turns if entry.missing)
    return (
        f"{report.ballots.missing} acknowledged ballots are missing in the tally (turn {turns}). "
        "Do not run an event on this server until you know why"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("must be a whole number from 1")
    return int(text)


def _share(text: str) -> float:
    with suppress(ValueError):
        if 0 <= float(text) <= 1:
            return float(text)
    raise ArgumentTypeError("must be a number from 0 to 1")


def _allow_sockets(phones: int) -> None:
    """Raise the limit of open files (one per phone). Raises RehearsalError if the hard limit is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = phones + SPARE_FILES
    if hard != resource.RLIM_INFINITY and needed > hard:
        room = hard - SPARE_FILES
        raise RehearsalError(
            f"{phones} phones need {needed} open files, but the limit is {hard}. Run several rehearsals "
            f"in parallel, each with at most {room} phones"
        )
    if soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _build_context(options: dict[str, Any]) -> RehearsalContext:
    server, _, code = options["event"].rpartition("/")
    code = normalize_code(code)
    return RehearsalContext(
        code=code,
        address=ServerAddress(phone_address(server or options["url"]), options["source"]),
        profile=options["profile"],
        clock=ServerClock(time.perf_counter),
        ledger=RehearsalLedger(TURNS_KEPT if options["until_stopped"] else None),
        rng=Random(options["seed"]),  # noqa: S311
        team=options["team"],
        side_change_share=options["side_changes"],
        find_key=KeySource(read_keys(options["tickets"], options["phones"]) if options["tickets"] else ()),
        tokens=read_seats(options["seats"], code) if options["seats"] else {},
    )


def _plan(options: dict[str, Any]) -> CrowdPlan:
    return CrowdPlan(
        phones=options["phones"],
        joins_per_second=options["joins"],
        turns=options["turns"],
        until_stopped=options["until_stopped"],
        seats=options["seats"],
    )


async def _rehearse(options: dict[str, Any], display: Display) -> RehearsalReport:
    crowd = Crowd(_plan(options), _build_context(options), display.show)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    with suppress(NotImplementedError):
        for ending in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(ending, crowd.stop)
    with display.running():
        report = await crowd.play()
    display.finish(report)
    return report
