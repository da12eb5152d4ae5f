"""Ballots of long windows: the intake answers after they are stored in the database."""

import asyncio

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError

from tests.voting.ballot_box.intake_helpers import COUNTED, Crowd, FakeStore, run_scenario, stored
from tests.voting.box_helpers import R1, Y2
from voting.ballot_box.box_types import CastResult
from voting.ballot_box.intake import Slot
from voting.counting.ballots import Ballot

__all__ = ["stored"]
pytestmark = pytest.mark.usefixtures("turn")


@pytest.mark.usefixtures("stored")
def test_intake_stores_ballots_of_long_window_before_answering() -> None:
    store = FakeStore()

    async def scenario(crowd: Crowd) -> None:
        stored_first = []

        class Watcher:
            def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
                stored_first.append(bool(store.writes))

        crowd.queue.add(R1, Watcher())
        crowd.cast(Y2, Ballot("v9", "red", 1, 1))
        await crowd.answered(2)
        assert stored_first == [True]

    run_scenario(scenario, store=store)
    assert [b.voter for b in store.writes[0]] == ["v1", "v2", "v9"]


@pytest.mark.usefixtures("stored")
def test_intake_stores_only_counted_ballots() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(Ballot("v1", "red", 5, 5))
        await crowd.answered(1)
        crowd.cast(Ballot("v1", "red", 4, 4), Y2)
        await crowd.answered(3)

    _, store, _ = run_scenario(scenario)
    assert [[b.voter for b in ballots] for ballots in store.writes] == [["v1"], ["v2"]]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("error", [OperationalError, InterfaceError, InternalError])
def test_intake_retries_while_database_is_away(error: type[Exception]) -> None:
    store = FakeStore(error("database is locked"), fails=[1, 2])

    async def scenario(crowd: Crowd) -> None:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(Y2)
        await crowd.answered(2)

    _, _, crowd = run_scenario(scenario, store=store)
    assert crowd.answers.keys() == {("v1", 1), ("v2", 1)}
    assert set().union(*crowd.answers.values()) <= COUNTED
    assert {b.voter for ballots in store.writes[2:] for b in ballots} == {"v1", "v2"}


@pytest.mark.usefixtures("stored")
def test_intake_survives_unexpected_store_error() -> None:
    store = FakeStore(IntegrityError("no such turn"), fails=[1])

    async def scenario(crowd: Crowd) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        crowd.cast(R1)
        await store.written.wait()
        await asyncio.sleep(0)
        assert crowd.answers == {}
        crowd.cast(R1, Y2)
        await crowd.answered(2)

    _, _, crowd = run_scenario(scenario, store=store)
    assert crowd.answers == {("v1", 1): [CastResult.DUPLICATE], ("v2", 1): [CastResult.OK]}
