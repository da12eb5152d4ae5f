"""`python -m tests.load.bench.soak`: a long-running crowd, to find out whether anything grows meanwhile.

The result is printed, and written to `docs/generated/soak.md`.
"""

import signal
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, linear_regression
from typing import Any, NamedTuple

import redis
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import MultiProcessCollector

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import SERVERS
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.crowd_helpers import running_crowd
from tests.deploy.processes import wait_until
from tests.load.bench.machine import allow_files, cpu_s, describe_machine, open_files, processes, rss
from tests.load.bench.report import about_lines, table_lines, write_page
from tests.load.bench.run import GATEWAYS
from tests.server import Server, running_server

CHOICES = {"window_s": 10, "pace": "instant", "lobby": "open", "next_match_after_s": 3}
SPARE_FILES = 512
JOINED_WITHIN_S = 300
PAGE = ROOT / "docs" / "generated" / "soak.md"
ROWS = 12
WARMUP_SHARE = 1 / 3
# What is measured, and the share of its mean by which it may grow. Valkey keeps turns for an hour, and the
# database permanently.
LIMITS: dict[str, float | None] = {
    "gateways: KiB per phone": 0.02,
    "worker: KiB": 0.02,
    "schedulers: KiB": 0.02,
    "all: open files": 0.01,
    "gateways: CPU µs per ballot, with broadcasts": 0.1,
    "all processes: CPU µs per ballot": 0.1,
    "valkey: KiB in use": None,
    "valkey: keys": None,
    "database: KiB": None,
}
Reading = tuple[float, ...]


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(options.phones + SPARE_FILES)
    machine = describe_machine()
    with (
        tempfile.TemporaryDirectory(prefix="crowdgame-soak-", ignore_cleanup_errors=True) as home,
        running_server(Path(home), options.server, options.gateways) as server,
    ):
        readings, report = _soak(server, options, Path(home))
    setup = f"{options.phones:,} phones, {options.gateways} gateways of {options.server}"
    lines = [
        *(f"## {machine['date']}: {setup}, {machine['cores']} cores", "", *_tables(readings), ""),
        f"- {report.ballots.acknowledged:,} of {report.ballots.sent:,} ballots acknowledged; "
        f"lost: {report.ballots.lost}, missing: {report.ballots.missing}; reconnects: {report.reconnects}",
        *about_lines(machine),
    ]
    print(*lines, sep="\n")
    if not options.dry:
        write_page(PAGE, "Soak test", "soak", lines)
    sys.exit(bool(find_growing(readings) or report.ballots.lost or report.ballots.missing))


def _soak(server: Server, options: Namespace, home: Path) -> tuple[list[Reading], RehearsalReport]:
    """Read every `every` seconds. What is read first is the time in minutes."""
    event = server.ask("event", owner="otto", **CHOICES)
    server.ask("begin", event_id=event["id"])
    argv = [event["code"], "--turns", "1000000"]
    readings: list[Reading] = []
    with running_crowd(argv, options.phones, server, home / "crowd") as crowd:
        wait_until(crowd.has_joined, JOINED_WITHIN_S)
        began, before = time.monotonic(), _read_totals(server)
        while len(readings) * options.every < options.minutes * 60:
            time.sleep(options.every)  # the interval that is measured
            assert crowd.process.poll() is None, crowd.log.read_text()
            totals = _read_totals(server)
            minutes = (time.monotonic() - began) / 60
            readings.append((minutes, *_read(server, options.phones, before, totals)))
            print(f"{minutes:.1f} min:", ", ".join(f"{value:,.1f}" for value in readings[-1][1:]), flush=True)
            before = totals
        crowd.process.send_signal(signal.SIGINT)
        return readings, crowd.wait()


class Totals(NamedTuple):
    """Since the start: CPU seconds by process, and counted ballots."""

    cpu_s: Mapping[str, float]
    ballots: float


def _read_totals(server: Server) -> Totals:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(server.stack.metrics_dir))  # type: ignore[no-untyped-call]  # declares no types
    counted = registry.get_sample_value("crowdgame_ballots_total", {"outcome": "counted"})
    used = {name: sum(map(cpu_s, pids)) for name, pids in processes(server).items()}
    return Totals(used, counted or 0.0)


def _read(server: Server, phones: int, before: Totals, after: Totals) -> Iterator[float]:
    """What LIMITS names, in that order."""
    parts = processes(server)
    kib = {name: sum(map(rss, pids)) / 1024 for name, pids in parts.items()}
    used = {name: after.cpu_s[name] - before.cpu_s[name] for name in parts}
    ballots = max(1.0, after.ballots - before.ballots)
    yield _sum(kib, "gateway") / phones
    yield kib["worker"]
    yield _sum(kib, "scheduler")
    yield sum(open_files(pid) for pids in parts.values() for pid in pids)
    yield _sum(used, "gateway") / ballots * 1e6
    yield _sum(used) / ballots * 1e6
    with redis.Redis.from_url(server.stack.redis) as client:
        memory: Any = client.info("memory")
        yield memory["used_memory"] / 1024
        yield client.dbsize()
    yield sum(path.stat().st_size for path in server.stack.data.glob("db.sqlite3*")) / 1024


def _sum(by_process: Mapping[str, float], start: str = "") -> float:
    return sum(value for name, value in by_process.items() if name.startswith(start))


def fit_growth(minutes: Sequence[float], values: Sequence[float]) -> float | None:
    """The growth over the last two thirds as a share of their mean; None for fewer than three readings."""
    first = round(len(values) * WARMUP_SHARE)
    times, judged = minutes[first:], values[first:]
    if len(judged) < 3:
        return None
    slope, mean = linear_regression(times, judged).slope, fmean(judged)
    return slope * (times[-1] - times[0]) / mean if mean else 0.0


def find_growing(readings: Sequence[Reading]) -> list[str]:
    minutes, *columns = zip(*readings, strict=True)
    growths = {name: fit_growth(minutes, values) for name, values in zip(LIMITS, columns, strict=True)}
    return [name for name, most in LIMITS.items() if most is not None and (growths[name] or 0) > most]


def _tables(readings: Sequence[Reading]) -> Iterator[str]:
    step = -(-len(readings) // ROWS)
    shown = readings[::-1][::step][::-1]
    yield from table_lines(("Minute", *LIMITS), [[f"{value:,.1f}" for value in row] for row in shown])
    yield ""
    minutes, *columns = zip(*readings, strict=True)
    growing, rows = find_growing(readings), []
    for (name, most), values in zip(LIMITS.items(), columns, strict=True):
        growth = fit_growth(minutes, values)
        judged = ("", "") if most is None else (f"{most:.0%}", "grows" if name in growing else "flat")
        rows.append((name, "too short" if growth is None else f"{growth:+.1%}", *judged))
    yield from table_lines(("Measurement", "Growth", "Limit", ""), rows)


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (default: %(default)g)")
    parser.add_argument("--phones", type=int, default=5_000, help="how many (default: %(default)s)")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between readings (%(default)g)")
    parser.add_argument("--server", choices=SERVERS, default=SERVERS[0], help="default: %(default)s")
    parser.add_argument("--gateways", type=int, default=GATEWAYS, help="how many (default: %(default)s)")
    parser.add_argument("--dry", action="store_true", help="leave docs/generated/soak.md alone")
    return parser.parse_args()


if __name__ == "__main__":
    main()
