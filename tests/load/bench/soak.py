"""`python -m tests.load.bench.soak`: a long-running crowd, to find out whether anything grows meanwhile."""

import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from deploy.laptop.paths import ROOT
from deploy.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.machine import allow_files, describe_machine
from tests.load.bench.run import GATEWAYS, SERVERS
from tests.load.bench.soak_readings import Reader, Reading
from tests.load.bench.soak_report import as_json, format_reading, section, write
from tests.load.bench.soak_verdicts import Soak
from tests.server import Server, running_server

CHOICES = {"window_s": 10, "reveal_s": 2, "lobby": "open", "next_match_after_s": 3}
SPARE_FILES = 512
ENDS_WITHIN_S = 10.0
SILENT = 3


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(options.phones + SPARE_FILES)
    console = Console(highlight=False)
    machine = describe_machine()
    with (
        tempfile.TemporaryDirectory(prefix="crowdgame-soak-", ignore_cleanup_errors=True) as home,
        running_server(Path(home), options.server, options.gateways) as server,
    ):
        readings = _soak(server, options, console)
    soak = Soak(options.server, options.gateways, options.phones, readings)
    for line in section(soak, machine):
        console.print(line, soft_wrap=True)
    if options.json:
        options.json.write_bytes(as_json(soak, machine))
    if not options.dry:
        write(soak, machine)
    sys.exit(not soak.passed)


def _soak(server: Server, options: Namespace, console: Console) -> list[Reading]:
    """Joining happens in the first minute, which trends ignore."""
    event = server.ask("event", owner="otto", **CHOICES)
    server.ask("begin", event_id=event["id"])
    readings: list[Reading] = []
    with _crowd(server, event["code"], options) as crowd:
        for reading in Reader(server, crowd).readings(SILENT * options.every):
            readings.append(reading)
            console.print(format_reading(reading), soft_wrap=True)
            if reading.at_s >= options.minutes * 60:
                return readings
    raise SystemExit(f"the crowd stopped reporting: its exit status is {crowd.returncode}")


@contextmanager
def _crowd(server: Server, code: str, options: Namespace) -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-m", "tests.load.bench.soak_crowd", code, server.http]
    numbers = [str(options.phones), str(options.every)]
    with subprocess.Popen([*argv, *numbers], cwd=ROOT, stdout=subprocess.PIPE) as crowd:
        try:
            yield crowd
        finally:
            crowd.terminate()
            try:
                crowd.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                crowd.kill()


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default: %(default)g)")
    parser.add_argument("--phones", type=int, default=5_000, help="how many (default: %(default)s)")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between readings (%(default)g)")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0], help="default: %(default)s")
    parser.add_argument("--gateways", type=int, default=GATEWAYS, help="how many (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all readings there")
    parser.add_argument("--dry", action="store_true", help="leave docs/generated/soak.md alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
