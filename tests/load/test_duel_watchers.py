"""Watchers of a duel: each sees each turn. `python -m tests.load.bench.duels` measures how soon."""

import asyncio
import time

import pytest

from crowdgame.rehearsal.server_clock import ServerClock
from tests.deploy.processes import wait_until
from tests.load.bench.duels import Duels, Measurements
from tests.server import Server

pytestmark = pytest.mark.nightly

WATCHERS = 60  # more than an event has projectors


async def watch(server: Server) -> Measurements:
    """Play two duels until each watcher of the first one has seen a turn."""
    duels = Duels(server, Measurements(ServerClock(time.perf_counter), thinks_s=(0.1, 0.2), leaves=0))
    games = [await asyncio.to_thread(server.ask, "duel", time_control="1-min") for _ in range(2)]
    watchers, _ = [await duels.join(game, WATCHERS) for game in games]
    await asyncio.to_thread(wait_until, lambda: all(watcher.reveals for watcher in watchers), 120)
    duels.leave()
    return duels.measurements


def test_watchers_of_a_duel_see_every_turn(server: Server) -> None:
    measurements = asyncio.run(watch(server))
    print(measurements.watched_ms.spread())
    assert measurements.failures == []
