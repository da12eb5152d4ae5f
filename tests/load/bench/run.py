"""One benchmark run: each server against its references, then its load runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import uvloop

from tests.load.bench.comparison import Say, Size, run_comparison
from tests.load.bench.load_run import SCENARIOS, run_load
from tests.load.bench.results import BenchResults, Comparison, LoadRun
from tests.server import running_server

SERVERS = ("daphne", "uvicorn")
PARTS = ("comparison", "load_runs")
GATEWAYS = 2


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a run; `load_runs`: phones per server."""

    size: Size
    load_runs: Mapping[str, int]
    servers: Sequence[str] = SERVERS
    parts: Sequence[str] = PARTS

    def only(self, servers: Sequence[str], parts: Sequence[str]) -> "Extent":
        return replace(self, servers=servers, parts=parts)


FULL = Extent(
    Size(phones=3_000, audience=10_000, seconds=2.0, rounds=5, fanouts=5, pair=True),
    {"daphne": 10_000, "uvicorn": 18_000},
)
SMALL = Extent(
    Size(phones=800, audience=1_000, seconds=0.5, rounds=2, fanouts=2, pair=True),
    {"daphne": 300, "uvicorn": 300},
)


def bench(extent: Extent, home: Path, say: Say) -> BenchResults:
    comparisons, load_runs = [], []
    for server in extent.servers:
        place = home / server
        if "comparison" in extent.parts:
            comparisons.append(compare(server, extent.size, place, say))
        if "load_runs" in extent.parts:
            load_runs += _load_runs(server, extent.load_runs[server], place, say)
    return BenchResults(comparisons, load_runs)


def compare(server: str, size: Size, home: Path, say: Say) -> Comparison:
    say(f"{server}: comparing it with a bare echo and a stock app")
    return uvloop.run(run_comparison(server, size, home, say))


def _load_runs(asgi_server: str, phones: int, home: Path, say: Say) -> list[LoadRun]:
    found = []
    with running_server(home / "load_runs", asgi_server, gateways=GATEWAYS) as server:
        for scenario in SCENARIOS:
            say(f"{asgi_server}: a load run of {phones:,} phones, {scenario.profile}")
            found.append(run_load(scenario, phones, server, home))
    return found
