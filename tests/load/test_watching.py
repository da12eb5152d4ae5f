"""Watchers of a duel: each sees each turn. `python -m tests.load.watching` measures the delay."""

import asyncio

from crowdgame.rehearsal.samples import Samples
from tests.load.watching import watch
from tests.server import House

WATCHERS, DUELS, TURNS = 60, 2, 1  # more than an event has projectors


def test_watchers_of_a_duel_see_every_turn(house: House) -> None:
    found = asyncio.run(watch(house, WATCHERS, DUELS, TURNS))
    print(Samples(found).spread())
    assert len(found) == WATCHERS * TURNS
    assert min(found) >= 0
