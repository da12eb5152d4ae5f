"""One benchmark run: each server against its references, then its load runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from tests.load.bench.comparison import Say, Size, run_comparison
from tests.load.bench.events import measure_shared_deadline, measure_small_event
from tests.load.bench.load_run import SCENARIOS, run_load
from tests.load.bench.report import Results
from tests.server import running_server

SERVERS = ("daphne", "uvicorn")
PARTS = ("comparison", "load_runs", "events")
GATEWAYS = 2


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
