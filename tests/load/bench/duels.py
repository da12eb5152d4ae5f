"""`python -m tests.load.bench.duels`: many concurrent duels, and whether each deadline is met.

Each duel has two players and one watcher. A player thinks for a while and picks; some never do and lose on
time. Everything runs on this machine, including the players.
"""

import asyncio
import random
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from deploy.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.duel_clients import DuelPlayer, DuelWatcher
from tests.load.bench.machine import allow_files, describe_machine
from tests.server import Server, running_server

DEADLINE_MS, WATCHED_MS = 250, 300
SPARE_FILES = 512
SETTLES_S = 5
OPEN = "SELECT count(*) FROM games_match WHERE state = 'playing'"
CLOSED = """
SELECT turn.resolved_at - turn.closes_at, turn.resolved_at, turn.number, match.ended_by
FROM games_turn turn JOIN games_match match ON turn.match_id = match.id
WHERE turn.state = 'resolved' AND turn.resolved_at >= ? ORDER BY turn.resolved_at
"""


@dataclass(slots=True)
class Measurements:
    """Times in ms until the reveal: for players since the seal and since the second pick; for watchers."""

    clock: ServerClock
    thinks_s: tuple[float, float]
    leaves: float
    revealed_ms: Samples = field(default_factory=Samples)
    waited_ms: Samples = field(default_factory=Samples)
    watched_ms: Samples = field(default_factory=Samples)
    failures: list[str] = field(default_factory=list)
    crowded: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(4))

    def think(self) -> float | None:
        return None if self.rng.random() < self.leaves else self.rng.uniform(*self.thinks_s)


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(4 * options.duels + SPARE_FILES)
    console = Console(highlight=False, soft_wrap=True)
    console.print(", ".join(describe_machine().values()))
    with (
        tempfile.TemporaryDirectory(prefix="crowdgame-duels-", ignore_cleanup_errors=True) as home,
        running_server(Path(home), options.server) as server,
    ):
        met = asyncio.run(_play(server, options, console))
    sys.exit(not met)


async def _play(server: Server, options: Namespace, console: Console) -> bool:
    measurements = Measurements(ServerClock(time.perf_counter), tuple(options.thinks), options.leaves)
    players = await resolve(ServerAddress(phone_address(server.http)))
    watchers = await resolve(ServerAddress(server.ws + "/display"))
    began = time.monotonic()
    games = [await asyncio.to_thread(server.ask, "duel", time_control="5-min") for _ in range(options.duels)]
    console.print(f"{options.duels} games begun in {time.monotonic() - began:.0f} s")
    clients: list[DuelPlayer | DuelWatcher] = []
    for game in games:
        one, two = (DuelPlayer(measurements, game["code"], key) for key in game["keys"])
        two.picks = one.picks
        clients += [one, two, DuelWatcher(measurements, game["code"])]
        for client in clients[-3:]:
            client.connect(watchers if isinstance(client, DuelWatcher) else players)
        await asyncio.sleep(
            1 / options.games_per_second
        )  # the 3 clients of a duel join together, the duels one by one
    await asyncio.sleep(SETTLES_S)  # joining is not measured
    since = round(measurements.clock.now_ms())
    measurements.revealed_ms, measurements.waited_ms, measurements.watched_ms = (
        Samples(),
        Samples(),
        Samples(),
    )
    await asyncio.sleep(options.seconds)
    console.print(f"{server.rows(OPEN)[0][0]} games open at the end")
    for client in clients:
        client.leave()
    return _report(server.rows(CLOSED, since), measurements, options, console)


def _report(
    closed: list[tuple[int, int, int, str]], measurements: Measurements, options: Namespace, console: Console
) -> bool:
    late = Samples(max(0, ms) for ms, *_ in closed).spread()
    watched = measurements.watched_ms.spread()
    console.print(f"{len(closed)} turns, {len(closed) / options.seconds:.1f} a second")
    console.print(f"resolved after the deadline: {_ms(late)}; the goal is {DEADLINE_MS} ms for each")
    console.print(f"reveal received by a player after the seal: {_ms(measurements.revealed_ms.spread())}")
    console.print(
        f"reveal received by a player after the second pick: {_ms(measurements.waited_ms.spread())}"
    )
    console.print(
        f"reveal received by a watcher after the resolution: {_ms(watched)}; "
        f"the goal is {WATCHED_MS} ms for 99 of 100"
    )
    console.print(f"asked to retry later, and did: {measurements.crowded}")
    console.print(f"failures: {len(measurements.failures)} {measurements.failures[:3]}")
    return bool(
        late
        and watched
        and late.max <= DEADLINE_MS
        and watched.p99 <= WATCHED_MS
        and not measurements.failures
    )


def _ms(spread: Spread | None) -> str:
    return f"p50 {spread.p50:.0f}, p99 {spread.p99:.0f}, most {spread.max:.0f} ms" if spread else "never"


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.duels", description=__doc__)
    parser.add_argument("--duels", type=int, default=1_000, help="how many (default: %(default)s)")
    parser.add_argument("--games-a-second", type=float, default=8.0, help="started (default: %(default)g)")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long (default: %(default)g)")
    parser.add_argument("--thinks", type=float, nargs=2, default=(10.0, 40.0), metavar=("FROM", "TO"))
    parser.add_argument(
        "--leaves", type=float, default=0.02, help="share of turns nobody picks in (%(default)g)"
    )
    parser.add_argument("--server", default="daphne", help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
