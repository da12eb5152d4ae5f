"""Watchers of a duel: each of them sees each turn. How soon, `python -m tests.load.watching` says."""

import asyncio

from crowdgame.rehearsal.samples import Samples
from tests.load.watching import watch
from tests.stack import House

WATCHERS, DUELS, TURNS = 60, 2, 1  # more than an event has projectors


def test_every_watcher_sees_every_turn(house: House) -> None:
    found = asyncio.run(watch(house, WATCHERS, DUELS, TURNS))
    print(Samples(found).spread())
    assert len(found) == WATCHERS * TURNS
    assert min(found) >= 0
