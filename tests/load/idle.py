"""`python -m tests.load.idle`: the cost of open long games without activity.

Each process's share of a core, with no game open and with many.
"""

import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

from tests.load.bench.machine import Stopwatch
from tests.load.bench.processes import processes
from tests.server import Server, running_server

SETTLES_S = 10
GAMES_AT_ONCE = 2_000


def shares(server: Server, seconds: float) -> dict[str, float]:
    """Percent of a core, by process name."""
    parts = processes(server)
    watch = Stopwatch([pid for pids in parts.values() for pid in pids])
    time.sleep(seconds)  # the measured span
    return {name: 100 * watch.cpu_s(pids) / seconds for name, pids in parts.items()}


def main() -> None:
    parser = ArgumentParser(prog="python -m tests.load.idle", description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server:
        time.sleep(SETTLES_S)  # startup work is not idling
        without = shares(server, options.seconds)
        for begun in range(0, options.games, GAMES_AT_ONCE):
            server.ask("long_games", count=min(GAMES_AT_ONCE, options.games - begun), after=begun)
        time.sleep(SETTLES_S)  # nor is work on new games
        with_them = shares(server, options.seconds)
    for part, share in with_them.items():
        print(f"{part}: {without[part]:.2f} % without, {share:.2f} % with {options.games} games")
    print(f"difference: {sum(with_them.values()) - sum(without.values()):.2f} % of a core")


if __name__ == "__main__":
    main()
