"""Benchmark runs: each server against its references, then its load runs; or only ratios, before a merge.

The quick run before a merge compares ratios, at small size, with those of an earlier run, the baseline.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
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


@dataclass(frozen=True, slots=True)
class Extent:
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


class Baseline(msgspec.Struct, frozen=True):
    """`ratios` by row key; `run` is the environment and date."""

    run: dict[str, str]
    ratios: dict[str, float]


class Regression(NamedTuple):
    """`limit` is the worst passing value; a row that was not measured has no value."""

    key: str
    baseline: float
    value: float | None
    limit: float


def check_regressions(servers: Sequence[str], home: Path, console: Console, say: Say) -> bool:
    """Return whether no ratio has regressed. A server with a regression is measured once more."""
    passed = True
    for server in servers:
        before = load_baseline(f"{server}: ")
        results = _measure(server, home / server, say)
        show(results, console)
        rows = results.rows
        if find_regressions(rows, before):
            say(f"{server}: a ratio has regressed, measuring again")
            rows = pick_better(rows, _measure(server, home / f"{server}-again", say).rows)
        regressions = find_regressions(rows, before)
        for regression in regressions:
            console.print("[bold red]✗[/]", *regression._asdict().items())
        passed &= not regressions
    return passed


def record_baseline(home: Path, say: Say) -> None:
    """Record the baseline that `check_regressions` compares with."""
    rows = [row for server in SERVERS for row in _measure(server, home / server, say).rows]
    ratios = {row.key: round(row.value, 4) for row in rows if row.key}
    baseline = msgspec.json.encode(Baseline(describe_machine(), ratios))
    FILE.write_bytes(msgspec.json.format(baseline) + b"\n")


def _measure(server: str, home: Path, say: Say) -> Results:
    results = Results()
    compare(server, QUICK, home, say, results)
    return results


def load_baseline(prefix: str = "") -> dict[str, float]:
    """The ratios by row key, for keys with this prefix."""
    ratios = msgspec.json.decode(FILE.read_bytes(), type=Baseline).ratios
    return {key: ratio for key, ratio in ratios.items() if key.startswith(prefix)}


def find_regressions(rows: Iterable[Row], before: Mapping[str, float]) -> list[Regression]:
    """The rows that are worse than the baseline by more than half, or missing."""
    now = {row.key: row for row in rows if row.key}
    judged = (_judge(key, value, now.get(key)) for key, value in before.items())
    return [regression for regression in judged if regression is not None]


def pick_better(first: Iterable[Row], second: Iterable[Row]) -> list[Row]:
    """Keep the better one of rows measured twice."""
    again = {row.key: row for row in second if row.key}
    twice = ((row, again.get(row.key, row)) for row in first)
    return [
        (max if row.goal.startswith("≥") else min)(row, other, key=lambda one: one.value)
        for row, other in twice
    ]


def _judge(key: str, before: float, row: Row | None) -> Regression | None:
    if row is None:
        return Regression(key, before, None, before)
    grows = row.goal.startswith("≥")
    limit = before / MAX_REGRESSION if grows else before * MAX_REGRESSION
    is_worse = row.value < limit if grows else row.value > limit
    return Regression(key, before, row.value, limit) if is_worse else None
