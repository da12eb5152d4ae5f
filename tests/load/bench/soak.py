"""`python -m tests.load.bench.soak`: a long-running crowd, to find out whether anything grows meanwhile.

The result is printed, and written to `docs/generated/soak.md`.
"""

import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.machine import allow_files, describe_machine
from tests.load.bench.report import about_lines, table_lines, write_page
from tests.load.bench.run import GATEWAYS, SERVERS
from tests.load.bench.soak_readings import Reader, Reading
from tests.load.bench.soak_verdicts import Soak, Verdict
from tests.server import Server, running_server

CHOICES = {"window_s": 10, "pace": "instant", "lobby": "open", "next_match_after_s": 3}
SPARE_FILES = 512
ENDS_WITHIN_S = 10.0
SILENT = 3
PAGE = ROOT / "docs" / "generated" / "soak.md"
ROWS = 12
HEADINGS = (
    "Minute",
    "Phones",
    "Gateways, KiB per phone",
    "Worker, schedulers, Valkey, MiB",
    "Open files",
    "CPU µs per ballot: gateways, all",
    "Broadcast",
    "Ack p99",
    "Reveal p99",
    "Lost",
)
JUDGED = ("Measurement", "Mean", "Per hour", "Growth", "Limit", "")
MARKS = {True: "flat", False: "grows", None: ""}


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
        write_page(PAGE, "Soak test", "soak", section(soak, machine))
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


def format_reading(reading: Reading) -> str:
    """One line per reading during the run."""
    return " · ".join(f"{what} {cell}" for what, cell in zip(HEADINGS, _cells(reading), strict=True))


def as_json(soak: Soak, machine: dict[str, str]) -> bytes:
    run = {"machine": machine, "verdicts": soak.verdicts(), "soak": soak}
    return msgspec.json.format(msgspec.json.encode(run))


def section(soak: Soak, machine: dict[str, str]) -> Iterable[str]:
    setup = f"{soak.phones:,} phones, {soak.gateways} gateways of {soak.server}"
    yield f"## {machine['date']}: {setup}, {machine['cores']} cores"
    yield ""
    yield from table_lines(HEADINGS, map(_cells, _some(soak.readings)))
    yield ""
    yield from table_lines(JUDGED, map(_verdict_cells, soak.verdicts()))
    last = soak.readings[-1].crowd
    yield ""
    yield f"- {last.acknowledged:,} of {last.sent:,} ballots acknowledged, {soak.lost} lost"
    yield f"- {last.revealed} turns; reconnects: {last.reconnects}"
    yield from about_lines(machine)


def _some(readings: Sequence[Reading]) -> list[Reading]:
    """A selection that fits on a page, including the last reading."""
    step = -(-len(readings) // ROWS)
    return list(readings[::-1][::step])[::-1]


def _cells(reading: Reading) -> tuple[str, ...]:
    mib = (reading.rss_kib["worker"], reading.scheduler_kib, reading.rss_kib["valkey"])
    ack, reveal = reading.crowd.ack_ms, reading.crowd.reveal_ms
    return (
        f"{reading.at_s / 60:.1f}",
        f"{reading.crowd.connected:,}",
        f"{reading.gateway_kib / max(1, reading.crowd.connected):.1f}",
        ", ".join(f"{kib / 1024:.0f}" for kib in mib),
        f"{sum(reading.files.values()):,}",
        f"{reading.gateway_us_per_ballot:.0f}, {reading.server_us_per_ballot:.0f}",
        f"{reading.broadcast_ms:.0f} ms",
        f"{ack.p99:.0f} ms" if ack else "",
        f"{reveal.p99:.0f} ms" if reveal else "",
        str(reading.crowd.lost + reading.crowd.missing),
    )


def _verdict_cells(verdict: Verdict) -> tuple[str, ...]:
    trend = verdict.trend
    most = "" if verdict.at_most is None else f"{verdict.at_most:.0%}"
    if trend is None:
        return (verdict.what, "", "", "", most, "too short")
    return (
        verdict.what,
        f"{trend.mean:,.1f}",
        f"{trend.per_hour:+,.1f}",
        f"{trend.growth:+.1%}",
        most,
        MARKS[verdict.flat],
    )


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
