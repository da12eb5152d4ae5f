"""`python -m tests.load.bench.duels`: many concurrent duels, and whether each deadline is met.

Each duel has two players and one watcher; the first one may have more. A player thinks for a while and picks;
some never do and lose on time. Everything runs on this machine, including the players.
"""

import asyncio
import random
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from rich.console import Console

from crowdgame.rehearsal.address import ServerAddress, resolve
from crowdgame.rehearsal.phone_connection import PhoneConnection
from crowdgame.rehearsal.samples import Samples, Spread
from crowdgame.rehearsal.server_clock import ServerClock
from crowdgame.rehearsal.wire import phone_address
from crowdgame.server.laptop.stop_signals import interrupt_on_signals
from tests.load.bench.machine import allow_files, describe_machine
from tests.server import Server, running_server
from voting import protocol

DEADLINE_MS, WATCHED_MS = 250, 300
RETRY_S = 15.0
PLAYERS = 2
Picks = defaultdict[int, list[float]]  # times by turn, of both players
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

    def start(self) -> None:
        """Discard the times so far."""
        self.revealed_ms, self.waited_ms, self.watched_ms = Samples(), Samples(), Samples()

    def think(self) -> float | None:
        return None if self.rng.random() < self.leaves else self.rng.uniform(*self.thinks_s)


class DuelClient:
    """A client of a page; it retries after a rejection, as pages do."""

    def __init__(
        self,
        measurements: Measurements,
        join: protocol.PhoneJoin | protocol.DisplayJoin,
        address: ServerAddress,
    ) -> None:
        self._measurements = measurements
        self._join = cast(protocol.PhoneMessage, join)
        self._address = address
        self._connection = PhoneConnection(self)
        self._reconnecting: asyncio.TimerHandle | None = None
        self._left = False
        self._connection.dial(address)

    def leave(self) -> None:
        self._left = True
        if self._reconnecting:
            self._reconnecting.cancel()
        self._connection.hang_up()

    def opened(self) -> None:
        self._connection.write(self._join)

    def receive_unreadable(self) -> None:
        """Ignore broadcasts that are not changes."""

    def closed(self, code: int | None, failure: str) -> None:
        if self._left:
            return
        if code == protocol.CloseCode.CROWDED:
            self._measurements.crowded += 1
            wait_s = random.uniform(0, RETRY_S)
            self._reconnecting = asyncio.get_running_loop().call_later(
                wait_s, self._connection.dial, self._address
            )
        else:
            self._measurements.failures.append(failure)

    def receive(self, message: protocol.ToPhone) -> None:
        raise NotImplementedError


class DuelPlayer(DuelClient):
    """Picks some column once in each turn."""

    def __init__(
        self, measurements: Measurements, join: protocol.PhoneJoin, address: ServerAddress, picks: Picks
    ) -> None:
        super().__init__(measurements, join, address)
        self._picks = picks
        self._turn = 0
        self._thinking: asyncio.TimerHandle | None = None

    def leave(self) -> None:
        if self._thinking:
            self._thinking.cancel()
        super().leave()

    def receive(self, message: protocol.ToPhone) -> None:
        match message:
            case protocol.PhoneWelcomed():
                self._measurements.clock.welcome(message.now_at)
                self._connection.write(protocol.ClockAsk(sent=self._measurements.clock.local_ms()))
                self._see(message.state)
            case protocol.ClockSynced():
                self._measurements.clock.sync(message.sent, message.now_at)
            case protocol.Change():
                self._record_reveal(message)
                self._see(message.state)
            case protocol.BallotRefused() | protocol.Error():
                self._measurements.failures.append(message.code)

    def _record_reveal(self, change: protocol.Change) -> None:
        reveal = change.state.match and change.state.match.reveal
        if isinstance(change, protocol.TurnRevealed) and reveal:
            now = self._measurements.clock.now_ms()
            self._measurements.revealed_ms.add(now - reveal.sealed_at)
            if len(picked := self._picks[reveal.turn]) == PLAYERS:
                self._measurements.waited_ms.add(now - max(picked))

    def _see(self, state: protocol.EventState) -> None:
        turn = state.match.turn if state.match else None
        if turn is None or turn.id == self._turn:
            return
        self._turn = turn.id
        seconds = self._measurements.think()
        if seconds is not None:
            wait_s = max(0.0, self._measurements.clock.until(turn.opens_at)) + seconds
            self._thinking = asyncio.get_running_loop().call_later(wait_s, self._pick, turn)

    def _pick(self, turn: protocol.Turn) -> None:
        self._picks[turn.id].append(self._measurements.clock.now_ms())
        legal = turn.legal.red if "red" in turn.to_move else turn.legal.yellow
        choice = legal[turn.id % len(legal)]
        self._connection.write(protocol.BallotCast(turn=turn.id, epoch=turn.epoch, choice=choice, sequence=1))


class DuelWatcher(DuelClient):
    """A spectator's display. `reveals` is how many it received."""

    reveals = 0

    def receive(self, message: protocol.ToPhone) -> None:
        if isinstance(message, protocol.TurnRevealed) and (match := message.state.match) and match.reveal:
            self.reveals += 1
            self._measurements.watched_ms.add(self._measurements.clock.now_ms() - match.reveal.resolved_at)


def main() -> None:
    options = _read_options()
    interrupt_on_signals()
    allow_files(4 * options.duels + options.watchers + SPARE_FILES)
    console = Console(highlight=False, soft_wrap=True)
    console.print(", ".join(describe_machine().values()))
    with (
        tempfile.TemporaryDirectory(prefix="crowdgame-duels-", ignore_cleanup_errors=True) as home,
        running_server(Path(home), options.server) as server,
    ):
        met = asyncio.run(_play(server, options, console))
    sys.exit(not met)


@dataclass(slots=True)
class Duels:
    """Duels on one server."""

    server: Server
    measurements: Measurements
    clients: list[DuelClient] = field(default_factory=list)

    async def join(self, game: dict[str, Any], watchers: int) -> list[DuelWatcher]:
        """Connect both players and the watchers of a duel; return the watchers."""
        phone = await resolve(ServerAddress(phone_address(self.server.http)))
        display = await resolve(ServerAddress(self.server.ws + "/display"))
        picks: Picks = defaultdict(list)
        for key in game["keys"]:
            seat = protocol.PhoneJoin(code=game["code"], key=key)
            self.clients.append(DuelPlayer(self.measurements, seat, phone, picks))
        join = protocol.DisplayJoin(code=game["code"])
        watching = [DuelWatcher(self.measurements, join, display) for _ in range(watchers)]
        self.clients += watching
        return watching

    def leave(self) -> None:
        for client in self.clients:
            client.leave()


async def _play(server: Server, options: Namespace, console: Console) -> bool:
    measurements = Measurements(ServerClock(time.perf_counter), tuple(options.thinks), options.leaves)
    duels = Duels(server, measurements)
    began = time.monotonic()
    games = [await asyncio.to_thread(server.ask, "duel", time_control="5-min") for _ in range(options.duels)]
    console.print(f"{options.duels} games begun in {time.monotonic() - began:.0f} s")
    for number, game in enumerate(games):
        await duels.join(game, 1 if number else options.watchers)
        await asyncio.sleep(1 / options.games_per_second)
    await asyncio.sleep(SETTLES_S)  # joining is not measured
    since = round(measurements.clock.now_ms())
    measurements.start()
    await asyncio.sleep(options.seconds)
    console.print(f"{server.rows(OPEN)[0][0]} games open at the end")
    duels.leave()
    return _report(server.rows(CLOSED, since), measurements, options, console)


def _report(
    closed: list[tuple[int, int, int, str]], measurements: Measurements, options: Namespace, console: Console
) -> bool:
    late = Samples(max(0, ms) for ms, *_ in closed).spread()
    watched = measurements.watched_ms.spread()
    console.print(f"{len(closed)} turns, {len(closed) / options.seconds:.1f} a second")
    for what, spread, goal in (
        ("resolved after the deadline", late, f"; the goal is {DEADLINE_MS} ms for each"),
        ("reveal received by a player after the seal", measurements.revealed_ms.spread(), ""),
        ("reveal received by a player after the second pick", measurements.waited_ms.spread(), ""),
        (
            "reveal received by a watcher after the resolution",
            watched,
            f"; the goal is {WATCHED_MS} ms for 99 of 100",
        ),
    ):
        console.print(f"{what}: {_ms(spread)}{goal}")
    console.print(f"asked to retry later, and did: {measurements.crowded}")
    console.print(f"failures: {len(measurements.failures)} {measurements.failures[:3]}")
    in_time = late and watched and late.max <= DEADLINE_MS and watched.p99 <= WATCHED_MS
    return bool(in_time and not measurements.failures)


def _ms(spread: Spread | None) -> str:
    return f"p50 {spread.p50:.0f}, p99 {spread.p99:.0f}, most {spread.max:.0f} ms" if spread else "never"


def _read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.load.bench.duels", description=__doc__)
    parser.add_argument("--duels", type=int, default=1_000, help="how many (default: %(default)s)")
    parser.add_argument("--games-per-second", type=float, default=8.0, help="started (default: %(default)g)")
    parser.add_argument("--watchers", type=int, default=1, help="of the first duel (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=120.0, help="how long (default: %(default)g)")
    parser.add_argument("--thinks", type=float, nargs=2, default=(10.0, 40.0), metavar=("FROM", "TO"))
    parser.add_argument(
        "--leaves", type=float, default=0.02, help="share of turns nobody picks in (%(default)g)"
    )
    parser.add_argument("--server", default="daphne", help="default: %(default)s")
    return parser.parse_args()


if __name__ == "__main__":
    main()
