"""A lane a window: how many wait in it, since when, and what is left of it once it is empty."""

import asyncio
import time

from redis import RedisError

from tests.voting.ballot_box.intakes import WINDOW, Crowd, Watched, talk, turn, voters
from tests.voting.boxes import EVENT, R1, TURN, Y2
from voting.ballot_box.ballot_box import MAX_BATCH
from voting.ballot_box.intake import MAX_WAITING, Slot
from voting.ballot_box.types import BoxedTurn, Cast
from voting.counting.ballots import Ballot

__all__ = ["turn"]


def test_two_windows_have_two_lanes(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1)
        crowd.lane = crowd.intake.lane(Slot(EVENT, TURN + 1, 1, stored=False))
        crowd.cast(Y2)
        assert sorted(await crowd.answered(2)) == [Cast.OK, Cast.UNKNOWN]

    talk(conversation, Watched(alone=False))


def test_when_too_many_wait_the_next_are_told_so(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(*voters(MAX_WAITING))
        assert crowd.answers == {}
        crowd.cast(Ballot("last", "red", 1, 1))
        assert crowd.answers == {("last", 1): [Cast.BUSY]}
        await crowd.answered(MAX_WAITING + 1)
        crowd.cast(Ballot("last", "red", 1, 1))
        await crowd.answered(MAX_WAITING + 2)
        assert crowd.answers["last", 1] == [Cast.BUSY, Cast.OK]

    talk(conversation)


def test_an_intake_is_emptied_once_every_ballot_is_answered(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        await crowd.intake.emptied()
        crowd.cast(*voters(MAX_BATCH + 1))
        crowd.lane = crowd.intake.lane(Slot(EVENT, TURN + 1, 1, stored=False))
        crowd.cast(Y2)
        await crowd.intake.emptied()
        assert sorted(code for codes in crowd.answers.values() for code in codes) == [
            *[Cast.OK] * (MAX_BATCH + 1),
            Cast.UNKNOWN,
        ]

    talk(conversation, Watched(away=[1], alone=False))


def test_a_lane_that_takes_again_just_as_it_was_emptied_is_waited_for(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        class Hasty:
            def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
                asyncio.get_running_loop().call_soon(crowd.cast, Y2)

        crowd.lane.take(R1, Hasty())
        await crowd.intake.emptied()
        assert crowd.answers == {("v2", 1): [Cast.OK]}

    talk(conversation)


def test_nothing_of_a_lane_is_left_once_it_is_empty(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        before = len(asyncio.all_tasks())
        for count in range(1, 6):
            crowd.lane = crowd.intake.lane(WINDOW)
            crowd.cast(Ballot("v1", "red", 1, count))
            await crowd.answered(count)
        await crowd.intake.emptied()
        assert crowd.intake._busy == set()
        assert len(asyncio.all_tasks()) == before

    talk(conversation)


def test_each_ballot_is_timed_from_its_own_arrival(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        lane = crowd.lane
        lane.busy = True
        crowd.cast(*voters(MAX_BATCH))
        between = time.monotonic()
        crowd.cast(R1)
        lane.put_back(lane.take_batch(), RedisError("away"))
        batches = lane.take_batch(), lane.take_batch()
        (_, _, first), (_, _, second) = (next(iter(batch.values())) for batch in batches)
        assert first <= between <= second

    talk(conversation)
