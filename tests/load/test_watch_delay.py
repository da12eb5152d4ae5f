"""Observers of a duel: each sees each turn. `python -m tests.load.watch_delay` measures the delay."""

import asyncio

from crowdgame.rehearsal.samples import Samples
from tests.load.watch_delay import watch
from tests.server import Server

WATCHERS, DUELS, TURNS = 60, 2, 1  # more than an event has projectors


def test_watchers_of_a_duel_see_every_turn(server: Server) -> None:
    found = asyncio.run(watch(server, WATCHERS, DUELS, TURNS))
    print(Samples(found).spread())
    assert len(found) == WATCHERS * TURNS
    assert min(found) >= 0
