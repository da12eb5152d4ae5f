"""One benchmark run: each server against its references, then its load runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import uvloop

from tests.load.bench.chat import measure_chat
from tests.load.bench.comparison import Say, Size, run_comparison
from tests.load.bench.events import measure_shared_deadline, measure_small_event
from tests.load.bench.load_run import SCENARIOS, run_load
from tests.load.bench.results import BenchResults, Comparison, LoadRun
from tests.server import running_server

SERVERS = ("daphne", "uvicorn")
PARTS = ("comparison", "load_runs", "events", "chat")
GATEWAYS = 2


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a run.

    `load_runs`: gateways and phones of each load run, per server. `shared_deadlines`: pairs of events and
    phones per event. `neighbor`: phones of the event beside a small one. `chat`: phones of an event
    against as many chatters.
    """

    size: Size
    load_runs: Mapping[str, Sequence[tuple[int, int]]]
    shared_deadlines: Sequence[tuple[int, int]]
    neighbor: int
    chat: int
    servers: Sequence[str] = SERVERS
    parts: Sequence[str] = PARTS

    def only(self, servers: Sequence[str], parts: Sequence[str]) -> "Extent":
        return replace(self, servers=servers, parts=parts)


FULL = Extent(
    Size(phones=3_000, audience=10_000, seconds=2.0, rounds=5, fanouts=5, pair=True),
    {"daphne": ((2, 10_000),), "uvicorn": ((2, 18_000), (3, 50_000))},
    ((20, 20), (100, 20), (300, 20), (1, 17_000)),
    12_000,
    5_000,
)
SMALL = Extent(
    Size(phones=800, audience=1_000, seconds=0.5, rounds=2, fanouts=2, pair=True),
    {"daphne": ((2, 300),), "uvicorn": ((2, 300),)},
    ((3, 20),),
    300,
    300,
)


def bench(extent: Extent, home: Path, say: Say) -> BenchResults:
    comparisons, load_runs, deadlines, small_events, chats = [], [], [], [], []
    for server in extent.servers:
        folder = home / server
        if "comparison" in extent.parts:
            comparisons.append(compare(server, extent.size, folder, say))
        if "load_runs" in extent.parts:
            for gateways, phones in extent.load_runs[server]:
                load_runs += _load_runs(server, gateways, phones, folder, say)
        if "events" in extent.parts:
            say(f"{server}: events that share a deadline, and a small event beside a large one")
            with running_server(folder / "events", server, gateways=GATEWAYS) as running:
                for events, phones in extent.shared_deadlines:
                    deadlines.append(uvloop.run(measure_shared_deadline(running, events, phones)))
                small_events.append(uvloop.run(measure_small_event(running, extent.neighbor)))
        if "chat" in extent.parts:
            say(f"{server}: {extent.chat:,} chatters beside {extent.chat:,} phones")
            chats.append(measure_chat(server, extent.chat, extent.chat, folder / "chat"))
    return BenchResults(comparisons, load_runs, deadlines, small_events, chats)


def compare(server: str, size: Size, home: Path, say: Say) -> Comparison:
    say(f"{server}: comparing it with a bare echo and a stock app")
    return uvloop.run(run_comparison(server, size, home, say))


def _load_runs(asgi_server: str, gateways: int, phones: int, home: Path, say: Say) -> list[LoadRun]:
    found = []
    with running_server(home / f"load_runs-{phones}", asgi_server, gateways=gateways) as server:
        for scenario in SCENARIOS:
            say(f"{asgi_server}: a load run of {phones:,} phones, {scenario.profile}")
            found.append(run_load(scenario, phones, server, home))
    return found
