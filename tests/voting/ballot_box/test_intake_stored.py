"""Ballots of a long window are written down before they are answered, and those of a short one never."""

import asyncio

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError

from tests.voting.ballot_box.intakes import Crowd, Shelf, talk, turn
from tests.voting.boxes import EVENT, R1, TURN, Y2
from voting.ballot_box.intake import Slot
from voting.ballot_box.types import BoxedTurn, Cast
from voting.counting.ballots import Ballot

__all__ = ["turn"]

LONG = Slot(EVENT, TURN, 1, stored=True)
COUNTED = {Cast.OK, Cast.DUP}


def test_ballots_of_a_long_window_are_stored_before_they_are_answered(turn: BoxedTurn) -> None:
    shelf = Shelf()

    async def conversation(crowd: Crowd) -> None:
        stored_first = []

        class Watcher:
            def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
                stored_first.append(bool(shelf.writings))

        crowd.lane.take(R1, Watcher())
        crowd.cast(Y2, Ballot("v9", "red", 1, 1))
        await crowd.answered(2)
        assert stored_first == [True]

    talk(conversation, shelf=shelf, window=LONG)
    assert [b.voter for b in shelf.writings[0]] == ["v1", "v2", "v9"]


def test_only_what_counts_is_stored(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(Ballot("v1", "red", 5, 5))
        await crowd.answered(1)
        crowd.cast(Ballot("v1", "red", 4, 4), Y2)
        await crowd.answered(3)

    _, shelf, _ = talk(conversation, window=LONG)
    assert [[b.voter for b in ballots] for ballots in shelf.writings] == [["v1"], ["v2"]]


def test_ballots_of_a_short_window_are_not_stored(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1)
        await crowd.answered(1)

    _, shelf, _ = talk(conversation)
    assert shelf.writings == []


@pytest.mark.parametrize("error", [OperationalError, InterfaceError, InternalError])
def test_a_database_that_is_away_for_a_while_loses_no_ballot(error: type[Exception], turn: BoxedTurn) -> None:
    shelf = Shelf(error("database is locked"), fails=[1, 2])

    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(Y2)
        await crowd.answered(2)

    _, _, crowd = talk(conversation, shelf=shelf, window=LONG)
    assert {key: set(codes) <= COUNTED for key, codes in crowd.answers.items()} == {
        ("v1", 1): True,
        ("v2", 1): True,
    }
    assert {b.voter for ballots in shelf.writings[2:] for b in ballots} == {"v1", "v2"}


def test_an_unforeseen_failure_answers_nobody_and_does_not_deafen_the_intake(turn: BoxedTurn) -> None:
    shelf = Shelf(IntegrityError("no such turn"), fails=[1])

    async def conversation(crowd: Crowd) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        crowd.cast(R1)
        await shelf.written.wait()
        await asyncio.sleep(0)
        assert crowd.answers == {}
        crowd.cast(R1, Y2)
        await crowd.answered(2)

    _, _, crowd = talk(conversation, shelf=shelf, window=LONG)
    assert crowd.answers == {("v1", 1): [Cast.DUP], ("v2", 1): [Cast.OK]}
