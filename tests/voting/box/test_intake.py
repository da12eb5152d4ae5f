"""Ballots of a process: one call in flight, nobody unanswered, whatever is away for a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from redis import RedisError

from tests.voting.boxes import EVENT, HOUR_MS, R1, TURN, Y2
from voting.box.ballot_box import MAX_BATCH, AsyncBallotBox, BallotBox, BoxedTurn, Cast, Sealed
from voting.box.intake import ANSWERS_AT_ONCE, MAX_WAITING, Intake, Slot
from voting.counting.ballots import Ballot

WINDOW = Slot(EVENT, TURN, 1, stored=False)
LONG = Slot(EVENT, TURN, 1, stored=True)
COUNTED = {Cast.OK, Cast.DUP}


class Watched(AsyncBallotBox):
    """Notes the batches; the calls numbered in `away` fail, before or after the script ran."""

    def __init__(self, away: Sequence[int] = (), answer_lost: bool = False, alone: bool = True) -> None:
        super().__init__()
        self.away, self.answer_lost, self.alone = away, answer_lost, alone
        self.batches: list[int] = []
        self.in_flight = 0

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> list[int]:
        assert not (self.alone and self.in_flight), "two calls in flight"
        self.in_flight += 1
        self.batches.append(len(ballots))
        try:
            if len(self.batches) in self.away and not self.answer_lost:
                raise RedisError("away")
            answers = await super().cast(event_id, turn_id, epoch, ballots)
            if len(self.batches) in self.away:
                raise RedisError("the answer was lost")
            return answers
        finally:
            self.in_flight -= 1


class Shelf:
    """Keeps stored ballots; the writings numbered in `fails` fail."""

    def __init__(self, trouble: Exception | None = None, fails: Sequence[int] = ()) -> None:
        self.trouble, self.fails = trouble, fails
        self.writings: list[list[Ballot]] = []
        self.written = asyncio.Event()

    async def store(self, turn_id: int, ballots: list[Ballot]) -> None:
        self.writings.append(ballots)
        self.written.set()
        if self.trouble and len(self.writings) in self.fails:
            raise self.trouble


class Crowd:
    """Everyone's answers."""

    def __init__(self, intake: Intake, window: Slot) -> None:
        self.intake, self.lane = intake, intake.lane(window)
        self.answers: dict[tuple[str, int], list[int]] = {}
        self._changed = asyncio.Event()

    def cast(self, *ballots: Ballot) -> None:
        for ballot in ballots:
            self.lane.take(ballot, self)

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        assert slot == self.lane.slot or slot.turn_id == TURN
        self.answers.setdefault((ballot.voter, ballot.sequence), []).append(code)
        self._changed.set()

    async def answered(self, count: int) -> list[int]:
        async with asyncio.timeout(10):
            while sum(map(len, self.answers.values())) < count:
                self._changed.clear()
                await self._changed.wait()
        return [code for codes in self.answers.values() for code in codes]


@pytest.fixture
def turn(box: BallotBox) -> BoxedTurn:
    now = box.now()
    turn = BoxedTurn(EVENT, TURN, 1, 1, now - 1_000, now + HOUR_MS)
    box.place(turn, create=True)
    return turn


def talk(
    conversation: Callable[[Crowd], Awaitable[None]],
    box: Watched | None = None,
    shelf: Shelf | None = None,
    window: Slot = WINDOW,
) -> tuple[Watched, Shelf, Crowd]:
    async def held() -> tuple[Watched, Shelf, Crowd]:
        watched, shelved = box or Watched(), shelf or Shelf()
        crowd = Crowd(Intake(watched, shelved.store), window)
        try:
            await conversation(crowd)
        finally:
            await watched.close()
        return watched, shelved, crowd

    return asyncio.run(held())


def voters(count: int) -> list[Ballot]:
    return [Ballot(f"w{i}", "red", 1, 1) for i in range(count)]


def test_what_comes_while_a_call_is_in_flight_goes_into_the_next(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(*voters(500))
        assert await crowd.answered(501) == [Cast.OK] * 501

    watched, _, _ = talk(conversation)
    assert watched.batches == [1, 500]


def test_a_crowd_larger_than_a_batch_is_taken_in_several(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(*voters(MAX_BATCH + 5))
        assert set(await crowd.answered(MAX_BATCH + 5)) == {Cast.OK}

    watched, _, _ = talk(conversation)
    assert watched.batches == [MAX_BATCH, 5]


def test_each_ballot_has_its_own_answer(turn: BoxedTurn) -> None:
    older, newer = Ballot("v1", "red", 1, 2), Ballot("v1", "red", 1, 3)

    async def conversation(crowd: Crowd) -> None:
        crowd.cast(newer, older, Y2)
        await crowd.answered(3)

    _, _, crowd = talk(conversation)
    assert crowd.answers == {("v1", 3): [Cast.OK], ("v1", 2): [-3], ("v2", 1): [Cast.OK]}


def test_an_intake_that_was_empty_takes_again(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        for count, ballot in enumerate((R1, Y2, R1), 1):
            crowd.cast(ballot)
            await crowd.answered(count)
            await asyncio.sleep(0)

    watched, _, crowd = talk(conversation)
    assert crowd.answers["v1", 1] == [Cast.OK, Cast.DUP]
    assert watched.batches == [1, 1, 1]


@pytest.mark.parametrize("answer_lost", [False, True])
def test_while_the_box_is_away_ballots_wait_and_count_once(
    answer_lost: bool, turn: BoxedTurn, box: BallotBox
) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1, Y2)
        await asyncio.sleep(0)
        crowd.cast(Ballot("v1", "red", 7, 2))
        await crowd.answered(3)
        first = crowd.answers.pop(("v1", 1))
        assert first[0] in (Cast.OK, -2)  # when it is sent again, the second choice may be there already
        assert {code for codes in crowd.answers.values() for code in codes} <= COUNTED

    _, _, crowd = talk(conversation, Watched(away=[1, 2], answer_lost=answer_lost))
    assert {len(codes) for codes in crowd.answers.values()} == {1}
    box.place(BoxedTurn(EVENT, TURN, 2, 1, turn.opens_at, box.now()), create=False)
    sealed = box.seal(BoxedTurn(EVENT, TURN, 2, 1, 0, 0))
    assert isinstance(sealed, Sealed)
    assert {b.voter: b.column for b in sealed.ballots} == {"v1": 7, "v2": 4}


def test_two_windows_have_two_lanes(turn: BoxedTurn) -> None:
    async def conversation(crowd: Crowd) -> None:
        crowd.cast(R1)
        crowd.lane = crowd.intake.lane(Slot(EVENT, TURN + 1, 1, stored=False))
        crowd.cast(Y2)
        assert sorted(await crowd.answered(2)) == [Cast.OK, Cast.UNKNOWN]

    talk(conversation, Watched(alone=False))


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


@pytest.mark.parametrize("trouble", [OperationalError, InterfaceError, InternalError])
def test_a_database_that_is_away_for_a_while_loses_no_ballot(
    trouble: type[Exception], turn: BoxedTurn
) -> None:
    shelf = Shelf(trouble("database is locked"), fails=[1, 2])

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


def test_one_that_cannot_be_answered_takes_no_answer_from_the_others(turn: BoxedTurn) -> None:
    troubles: list[str] = []

    class Gone:
        def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
            raise LookupError("gone")

    async def conversation(crowd: Crowd) -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, told: troubles.append(str(told["exception"]))
        )
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.lane.take(Ballot("w-1", "red", 1, 1), Gone())
        crowd.cast(*voters(ANSWERS_AT_ONCE))
        crowd.lane.take(Ballot("w-2", "red", 1, 1), Gone())
        crowd.cast(Y2)
        assert await crowd.answered(ANSWERS_AT_ONCE + 2) == [Cast.OK] * (ANSWERS_AT_ONCE + 2)
        await crowd.intake.emptied()
        crowd.cast(R1)
        await crowd.answered(ANSWERS_AT_ONCE + 3)

    talk(conversation)
    assert troubles == ["gone", "gone"]
