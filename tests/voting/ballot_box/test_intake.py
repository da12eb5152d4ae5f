"""The intake of a process: every ballot is answered despite outages, after it is stored if it must be.

Each window has a lane with one call in flight.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from redis import RedisError

from tests.voting.box_helpers import EVENT, R1, TURN, Y2, over, sealed
from tests.voting.gateway_helpers import NO_BOX
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, CastReply, CastResult, PlaceResult
from voting.ballot_box.intake import (
    ANSWERS_PER_ITERATION,
    BUSY_PER_S,
    MAX_PAUSE_S,
    MAX_PENDING,
    QUIET_PER_S,
    Intake,
    Slot,
)
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.usefixtures("turn")
WINDOW = Slot(EVENT, TURN, 1)
COUNTED = {CastResult.OK, CastResult.DUPLICATE}


@pytest.fixture
def stored(turn: BoxedTurn, box: BallotBox) -> None:
    """The open turn's ballots are stored from now on."""
    assert box.place(replace(turn, version=2, stored=True), create=False) == PlaceResult.DONE


class RecordingBox(AsyncBallotBox):
    """Records batch sizes; the calls numbered in `away` fail, before or after the script ran."""

    def __init__(self, away: Sequence[int] = (), answer_lost: bool = False, alone: bool = True) -> None:
        super().__init__()
        self.away, self.answer_lost, self.alone = away, answer_lost, alone
        self.batches: list[int] = []
        self.in_flight = 0

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> CastReply:
        assert not (self.alone and self.in_flight), "two calls are in flight"
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


class FakeStore:
    """A store of ballots; the writes numbered in `fails` fail."""

    def __init__(self, error: Exception | None = None, fails: Sequence[int] = ()) -> None:
        self.error, self.fails = error, fails
        self.writes: list[list[Ballot]] = []
        self.written = asyncio.Event()

    async def store(self, turn_id: int, ballots: list[Ballot]) -> None:
        self.writes.append(ballots)
        self.written.set()
        if self.error and len(self.writes) in self.fails:
            raise self.error


class Crowd:
    """Casts ballots and collects the answers."""

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


def run_scenario(
    scenario: Callable[[Crowd], Awaitable[None]],
    box: RecordingBox | None = None,
    store: FakeStore | None = None,
) -> tuple[RecordingBox, FakeStore, Crowd]:
    async def held() -> tuple[RecordingBox, FakeStore, Crowd]:
        recording_box, fake_store = box or RecordingBox(), store or FakeStore()
        crowd = Crowd(Intake(recording_box, fake_store.store), WINDOW)
        try:
            await scenario(crowd)
        finally:
            await recording_box.close()
        return recording_box, fake_store, crowd

    return asyncio.run(held())


def voters(count: int) -> list[Ballot]:
    return [Ballot(f"w{i}", "red", 1, 1) for i in range(count)]


def test_intake_batches_ballots_arriving_during_a_call() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(*voters(500))
        assert await crowd.answered(501) == [CastResult.OK] * 501

    recording_box, store, _ = run_scenario(scenario)
    assert recording_box.batches == [1, 500]
    assert store.writes == [], "the window is short"


def test_intake_splits_ballots_into_batches() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(*voters(MAX_BATCH + 5))
        assert set(await crowd.answered(MAX_BATCH + 5)) == {CastResult.OK}

    recording_box, _, _ = run_scenario(scenario)
    assert recording_box.batches == [MAX_BATCH, 5]


def test_intake_answers_each_ballot() -> None:
    older, newer = Ballot("v1", "red", 1, 2), Ballot("v1", "red", 1, 3)

    async def scenario(crowd: Crowd) -> None:
        crowd.cast(newer, older, Y2)
        await crowd.answered(3)

    _, _, crowd = run_scenario(scenario)
    assert crowd.answers == {("v1", 3): [CastResult.OK], ("v1", 2): [-3], ("v2", 1): [CastResult.OK]}


def test_intake_accepts_ballots_after_being_empty() -> None:
    async def scenario(crowd: Crowd) -> None:
        for count, ballot in enumerate((R1, Y2, R1), 1):
            crowd.cast(ballot)
            await crowd.answered(count)
            await asyncio.sleep(0)

    recording_box, _, crowd = run_scenario(scenario)
    assert crowd.answers["v1", 1] == [CastResult.OK, CastResult.DUPLICATE]
    assert recording_box.batches == [1, 1, 1]


@pytest.mark.parametrize("answer_lost", [False, True])
def test_intake_retries_until_box_is_back(answer_lost: bool, turn: BoxedTurn, box: BallotBox) -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(R1, Y2)
        await asyncio.sleep(0)
        crowd.cast(Ballot("v1", "red", 7, 2))
        await crowd.answered(3)
        first = crowd.answers.pop(("v1", 1))
        assert first[0] in (CastResult.OK, -2)  # after a retry, the second choice may already be counted
        assert {code for codes in crowd.answers.values() for code in codes} <= COUNTED

    _, _, crowd = run_scenario(scenario, RecordingBox(away=[1, 2], answer_lost=answer_lost))
    assert {len(codes) for codes in crowd.answers.values()} == {1}
    assert {b.voter: b.choice for b in sealed(over(turn, box), box)} == {"v1": 7, "v2": 4}


def test_intake_answers_others_despite_failing_recipient() -> None:
    errors: list[str] = []

    class Gone:
        def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
            raise LookupError("gone")

    async def scenario(crowd: Crowd) -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: errors.append(str(context["exception"]))
        )
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.lane.take(Ballot("w-1", "red", 1, 1), Gone())
        crowd.cast(*voters(ANSWERS_PER_ITERATION))
        crowd.lane.take(Ballot("w-2", "red", 1, 1), Gone())
        crowd.cast(Y2)
        assert await crowd.answered(ANSWERS_PER_ITERATION + 2) == [CastResult.OK] * (
            ANSWERS_PER_ITERATION + 2
        )
        await crowd.intake.wait_until_empty()
        crowd.cast(R1)
        await crowd.answered(ANSWERS_PER_ITERATION + 3)

    run_scenario(scenario)
    assert errors == ["gone", "gone"]


# ------------------------------------------------------------------ lanes
def test_intake_keeps_a_lane_per_window() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(R1)
        crowd.lane = crowd.intake.lane(Slot(EVENT, TURN + 1, 1))
        crowd.cast(Y2)
        assert sorted(await crowd.answered(2)) == [CastResult.OK, CastResult.UNKNOWN]

    run_scenario(scenario, RecordingBox(alone=False))


def test_lane_answers_busy_when_full() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(*voters(MAX_PENDING))
        assert crowd.answers == {}
        crowd.cast(Ballot("last", "red", 1, 1))
        assert crowd.answers == {("last", 1): [CastResult.BUSY]}
        await crowd.answered(MAX_PENDING + 1)
        crowd.cast(Ballot("last", "red", 1, 1))
        await crowd.answered(MAX_PENDING + 2)
        assert crowd.answers["last", 1] == [CastResult.BUSY, CastResult.OK]

    run_scenario(scenario)


@pytest.mark.parametrize(
    ("per_second", "pause_s"), [(10, 0), (QUIET_PER_S, 0), (275, MAX_PAUSE_S / 2), (BUSY_PER_S, MAX_PAUSE_S)]
)
def test_batches_wait_longer_the_faster_ballots_arrive(
    per_second: float, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("voting.ballot_box.intake.time.monotonic", lambda: now)
    lane = Intake(NO_BOX, NO_BOX).lane(WINDOW)
    lane.busy = True  # nothing is sent
    for ballot in voters(round(10 * per_second)):
        lane.take(ballot, Crowd(lane._intake, WINDOW))
    now += 10
    assert lane.pause_s() == pytest.approx(pause_s)
    now += 1
    assert lane.pause_s() == 0


def test_ballots_of_a_busy_lane_share_a_script_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.ballot_box.intake.Lane.pause_s", lambda _: 0.05)

    async def scenario(crowd: Crowd) -> None:
        for ballot in voters(5):
            crowd.cast(ballot)
            await asyncio.sleep(0)
        await crowd.answered(5)

    recording_box, *_ = run_scenario(scenario)
    assert recording_box.batches == [5]


def test_emptied_waits_until_every_ballot_is_answered() -> None:
    async def scenario(crowd: Crowd) -> None:
        await crowd.intake.wait_until_empty()
        crowd.cast(*voters(MAX_BATCH + 1))
        crowd.lane = crowd.intake.lane(Slot(EVENT, TURN + 1, 1))
        crowd.cast(Y2)
        await crowd.intake.wait_until_empty()
        assert sorted(code for codes in crowd.answers.values() for code in codes) == [
            *[CastResult.OK] * (MAX_BATCH + 1),
            CastResult.UNKNOWN,
        ]

    run_scenario(scenario, RecordingBox(away=[1], alone=False))


def test_emptied_waits_for_ballots_cast_while_answering() -> None:
    async def scenario(crowd: Crowd) -> None:
        class CastsAgain:
            def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
                asyncio.get_running_loop().call_soon(crowd.cast, Y2)

        crowd.lane.take(R1, CastsAgain())
        await crowd.intake.wait_until_empty()
        assert crowd.answers == {("v2", 1): [CastResult.OK]}

    run_scenario(scenario)


def test_empty_lane_leaves_no_task_or_state() -> None:
    async def scenario(crowd: Crowd) -> None:
        before = len(asyncio.all_tasks())
        for count in range(1, 6):
            crowd.lane = crowd.intake.lane(WINDOW)
            crowd.cast(Ballot("v1", "red", 1, count))
            await crowd.answered(count)
        await crowd.intake.wait_until_empty()
        assert crowd.intake._busy == set()
        assert len(asyncio.all_tasks()) == before

    run_scenario(scenario)


def test_lane_times_each_ballot_from_its_arrival() -> None:
    async def scenario(crowd: Crowd) -> None:
        lane = crowd.lane
        lane.busy = True
        crowd.cast(*voters(MAX_BATCH))
        between = time.monotonic()
        crowd.cast(R1)
        lane.requeue(lane.take_batch(), RedisError("away"))
        batches = lane.take_batch(), lane.take_batch()
        (_, _, first), (_, _, second) = (next(iter(batch.values())) for batch in batches)
        assert first <= between <= second

    run_scenario(scenario)


# ------------------------------------------------------------------ stored ballots
@pytest.mark.usefixtures("stored")
def test_intake_stores_ballots_of_long_window_before_answering() -> None:
    store = FakeStore()

    async def scenario(crowd: Crowd) -> None:
        stored_first = []

        class Watcher:
            def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
                stored_first.append(bool(store.writes))

        crowd.lane.take(R1, Watcher())
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
