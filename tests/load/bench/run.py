"""Benchmark runs: each server against its references, then its load runs; or only ratios, before a merge.

The quick run before a merge compares ratios, at small size, with those of an earlier run, the baseline.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import uvloop
from rich.console import Console

from crowdgame.server.laptop.stack import SERVERS
from tests.load.bench.comparison import Say, Size, run_comparison
from tests.load.bench.events import measure_shared_deadline, measure_small_event
from tests.load.bench.load_run import SCENARIOS, run_load
from tests.load.bench.machine import describe_machine
from tests.load.bench.report import Results, Row, show
from tests.server import running_server

PARTS = ("comparison", "load_runs", "events")
GATEWAYS = 2
FILE = Path(__file__).parent / "baseline.json"
MAX_REGRESSION = 1.5
QUICK = Size(phones=2_000, audience=2_000, seconds=0.7, rounds=3, fanouts=5, pair=False)


class Extent(NamedTuple):
    """The size of a run.

    `load_runs`: gateways and phones of each load run, per server. `shared_deadlines`: pairs of events and
    phones per event. `neighbor`: phones of the event beside a small one.
    """

    size: Size
    load_runs: Mapping[str, Sequence[tuple[int, int]]]
    shared_deadlines: Sequence[tuple[int, int]]
    neighbor: int


FULL = Extent(
    Size(phones=3_000, audience=10_000, seconds=2.0, rounds=5, fanouts=5, pair=True),
    {"daphne": ((2, 10_000),), "uvicorn": ((2, 18_000), (3, 50_000))},
    ((20, 20), (100, 20), (300, 20), (1, 17_000)),
    12_000,
)
SMALL = Extent(
    Size(phones=1_500, audience=1_000, seconds=0.5, rounds=2, fanouts=2, pair=True),
    {"daphne": ((2, 300),), "uvicorn": ((2, 300),)},
    ((3, 20),),
    300,
)


def bench(extent: Extent, servers: Sequence[str], parts: Sequence[str], home: Path, say: Say) -> Results:
    results = Results()
    for server in servers:
        folder = home / server
        if "comparison" in parts:
            compare(server, extent.size, folder, say, results)
        for gateways, phones in extent.load_runs[server] if "load_runs" in parts else ():
            with running_server(folder / f"load_runs-{phones}", server, gateways=gateways) as running:
                for scenario in SCENARIOS:
                    say(f"{server}: a load run of {phones:,} phones, {scenario.profile}")
                    run_load(scenario, phones, running, folder, results)
        if "events" in parts:
            say(f"{server}: events that share a deadline, and a small event beside a large one")
            with running_server(folder / "events", server, gateways=GATEWAYS) as running:
                for events, phones in extent.shared_deadlines:
                    uvloop.run(measure_shared_deadline(running, events, phones, results))
                uvloop.run(measure_small_event(running, extent.neighbor, results))
    return results


def compare(server: str, size: Size, home: Path, say: Say, results: Results) -> None:
    say(f"{server}: comparing it with a bare echo and a stock app")
    uvloop.run(run_comparison(server, size, home, say, results))


def check_regressions(servers: Sequence[str], home: Path, console: Console, say: Say) -> bool:
    """Return whether no ratio has regressed. A server with a regression is measured once more."""
    passed = True
    for server in servers:
        before = load_baseline(f"{server}: ")
        results = _measure(server, home / server, say)
        show(results, console)
        regressed = find_regressions(results.rows, before)
        if regressed:
            say(f"{server}: a ratio has regressed, measuring again")
            again = _measure(server, home / f"{server}-again", say)
            regressed = find_regressions(pick_better(results.rows, again.rows), before)
        for key in regressed:
            console.print(f"[bold red]✗[/] {key}; baseline: {before[key]}")
        passed &= not regressed
    return passed


def record_baseline(home: Path, say: Say) -> None:
    rows = [row for server in SERVERS for row in _measure(server, home / server, say).rows]
    ratios = {row.key: round(row.value, 4) for row in rows if row.key}
    FILE.write_text(json.dumps({"run": describe_machine(), "ratios": ratios}, indent=2) + "\n")


def _measure(server: str, home: Path, say: Say) -> Results:
    results = Results()
    compare(server, QUICK, home, say, results)
    return results


def load_baseline(prefix: str = "") -> dict[str, float]:
    """The ratios by row key, for keys with this prefix."""
    ratios = json.loads(FILE.read_bytes())["ratios"]
    return {key: ratio for key, ratio in ratios.items() if key.startswith(prefix)}


def find_regressions(rows: Iterable[Row], before: Mapping[str, float]) -> list[str]:
    """The keys of rows that are worse than the baseline by more than half, or missing."""
    now = {row.key: row for row in rows}
    return [key for key, ratio in before.items() if key not in now or _is_worse(now[key], ratio)]


def pick_better(first: Iterable[Row], second: Iterable[Row]) -> list[Row]:
    again = {row.key: row for row in second if row.key}
    twice = ((row, again.get(row.key, row)) for row in first)
    return [
        (max if row.goal.startswith("≥") else min)(row, other, key=lambda one: one.value)
        for row, other in twice
    ]


def _is_worse(row: Row, before: float) -> bool:
    if row.goal.startswith("≥"):
        return row.value < before / MAX_REGRESSION
    return row.value > before * MAX_REGRESSION
