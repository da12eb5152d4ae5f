"""`python -m tests.load.watch_delay`: how soon watchers of a duel see its turns, while other duels run.

The delay is from the outcome's time on the server's clock until its arrival at a watcher's socket, on one
machine with one clock.
"""

import asyncio
import json
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from crowdgame.rehearsal.samples import Samples
from tests.server import Server, running_server

PICKS = ((1, 2), (3, 4), (5, 6), (7, 1), (2, 3))  # no four in a row by then
OPENING_AT_ONCE = 50
AFTER_OPENING_MS = 100
WITHIN_S = 120
REVEALED = '"turn.revealed"'


async def watch(server: Server, watchers: int, duels: int, turns: int) -> list[float]:
    """Milliseconds, for each watcher of the first duel and each of its turns."""
    games = [await asyncio.to_thread(server.ask, "duel", time_control="1-min") for _ in range(duels)]
    async with AsyncExitStack() as stack, asyncio.timeout(WITHIN_S):
        join_fields = [{"code": games[0]["code"]}] * watchers
        seen = await open_all(stack, f"{server.ws}/display", join_fields, "display.join")
        seats = [{"code": game["code"], "key": key} for game in games for key in game["keys"]]
        players = await open_all(stack, f"{server.ws}/phone", seats, "phone.join")
        playing = [asyncio.create_task(play(player, number % 2)) for number, player in enumerate(players)]
        delays_ms = await asyncio.gather(*(delays(socket, turns) for socket in seen))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    return [ms for one in delays_ms for ms in one]


async def open_all(
    stack: AsyncExitStack, address: str, joins: Sequence[dict[str, Any]], kind: str
) -> list[ClientConnection]:
    few = asyncio.Semaphore(OPENING_AT_ONCE)

    async def open_one(join: dict[str, Any]) -> ClientConnection:
        async with few:
            socket = await stack.enter_async_context(connect(address, compression=None, ping_interval=None))
            await socket.send(json.dumps({"type": kind, **join}))
            return socket

    return await asyncio.gather(*(open_one(join) for join in joins))


async def play(socket: ClientConnection, side: int) -> None:
    """Vote in each turn as soon as it opens."""
    done = 0
    async for text in socket:
        match = json.loads(text).get("state", {}).get("match")
        turn = match and match["turn"]
        if not turn or turn["number"] == done or turn["number"] > len(PICKS):
            continue
        done = turn["number"]
        await asyncio.sleep(max(0.0, turn["opens_at"] + AFTER_OPENING_MS - time.time() * 1000) / 1000)
        ballot = {"turn": turn["id"], "epoch": turn["epoch"], "choice": PICKS[done - 1][side], "sequence": 1}
        await socket.send(json.dumps({"type": "ballot.cast", **ballot}))


async def delays(socket: ClientConnection, turns: int) -> list[float]:
    found: list[float] = []
    async for text in socket:
        now = time.time() * 1000
        if REVEALED in str(text[:40]):
            found.append(now - json.loads(text)["state"]["match"]["reveal"]["resolved_at"])
        if len(found) == turns:
            break
    return found


def main() -> None:
    parser = ArgumentParser(prog="python -m tests.load.watch_delay", description=__doc__)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--duels", type=int, default=50)
    parser.add_argument("--turns", type=int, default=len(PICKS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home, running_server(Path(home)) as server:
        found = asyncio.run(watch(server, options.watchers, options.duels, options.turns))
    print(f"{options.watchers} watchers, {options.duels} duels: {Samples(found).spread()}")


if __name__ == "__main__":
    main()
