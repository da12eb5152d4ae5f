"""The intake of a process: every ballot is answered despite outages. Each window has a queue of its own."""

import asyncio
import time
from dataclasses import replace

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from redis import RedisError

from tests.monitoring.probes import own_refusals
from tests.voting.ballot_box.intake_helpers import (
    OTHER_WINDOW,
    WINDOW,
    Crowd,
    FakeStore,
    RecordingBox,
    voters,
)
from tests.voting.box_helpers import R1, Y2
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, CastResult, PlaceResult
from voting.ballot_box.intake import (
    ANSWERS_PER_ITERATION,
    BUSY_PER_S,
    MAX_PAUSE_S,
    MAX_PENDING,
    QUIET_PER_S,
    BallotQueue,
    Slot,
)
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.usefixtures("turn")
OK, UNKNOWN = CastResult.OK, CastResult.UNKNOWN
COUNTED = {CastResult.OK, CastResult.DUPLICATE}


@pytest.fixture
def stored(turn: BoxedTurn, box: BallotBox) -> None:
    """The open turn's ballots are stored from now on."""
    assert box.place(replace(turn, version=2, stored=True), create=False) == PlaceResult.DONE


async def test_intake_batches_ballots_arriving_during_a_call() -> None:
    async with Crowd() as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(*voters(500))
        assert await crowd.answered(501) == [OK] * 501
    assert crowd.box.batches == [1, 500]
    assert crowd.store.writes == [], "the window is short"


async def test_intake_answers_each_ballot_also_after_being_empty() -> None:
    async with Crowd() as crowd:
        crowd.cast(Ballot("v1", "red", 1, 3), Ballot("v1", "red", 1, 2), Y2)
        await crowd.answered(3)
        assert crowd.answers == {("v1", 3): [OK], ("v1", 2): [-3], ("v2", 1): [OK]}
        await asyncio.sleep(0)
        crowd.cast(Y2)
        await crowd.answered(4)
    assert crowd.answers["v2", 1] == [OK, CastResult.DUPLICATE]
    assert crowd.box.batches == [3, 1]


@pytest.mark.parametrize("answer_lost", [False, True])
async def test_intake_retries_until_box_is_back(answer_lost: bool) -> None:
    async with Crowd(RecordingBox(away=[1, 2], answer_lost=answer_lost)) as crowd:
        crowd.cast(R1, Y2)
        await asyncio.sleep(0)
        crowd.cast(Ballot("v1", "red", 7, 2))
        await crowd.answered(3)
        held = await crowd.box.load_ballots(WINDOW.event_id, WINDOW.turn_id, ["v1", "v2"])
    assert {len(codes) for codes in crowd.answers.values()} == {1}
    (first,) = crowd.answers.pop(("v1", 1))
    assert first in (OK, -2)  # after a retry, the second choice may already be counted
    assert set(crowd.codes) <= COUNTED
    assert {voter: ballot.choice for voter, ballot in held.items()} == {"v1": 7, "v2": 4}


async def test_intake_answers_others_despite_failing_recipient() -> None:
    errors: list[str] = []

    class Gone:
        def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
            raise LookupError("gone")

    loop, ok = asyncio.get_running_loop(), ANSWERS_PER_ITERATION + 2
    loop.set_exception_handler(lambda _, context: errors.append(str(context["exception"])))
    async with Crowd() as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.queue.add(Ballot("w-1", "red", 1, 1), Gone())
        crowd.cast(*voters(ANSWERS_PER_ITERATION))
        crowd.queue.add(Ballot("w-2", "red", 1, 1), Gone())
        crowd.cast(Y2)
        assert await crowd.answered(ok) == [OK] * ok
        await crowd.intake.wait_until_empty()
        crowd.cast(R1)
        await crowd.answered(ok + 1)
    assert errors == ["gone", "gone"]


# ------------------------------------------------------------------ queues
async def test_queue_answers_busy_when_full() -> None:
    before = own_refusals("ballot")
    async with Crowd() as crowd:
        crowd.cast(*voters(MAX_PENDING))
        assert crowd.answers == {}
        crowd.cast(Ballot("last", "red", 1, 1))
        assert crowd.answers == {("last", 1): [CastResult.BUSY]}
        await crowd.answered(MAX_PENDING + 1)
        crowd.cast(Ballot("last", "red", 1, 1))
        await crowd.answered(MAX_PENDING + 2)
        assert crowd.answers["last", 1] == [CastResult.BUSY, OK]
    assert own_refusals("ballot") == before + 1


@pytest.mark.parametrize(
    ("per_second", "pause_s"), [(10, 0), (QUIET_PER_S, 0), (175, MAX_PAUSE_S / 2), (BUSY_PER_S, MAX_PAUSE_S)]
)
def test_batches_wait_longer_the_faster_ballots_arrive(
    per_second: float, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("voting.ballot_box.intake.time.monotonic", lambda: now)
    crowd = Crowd()
    queue = crowd.queue
    queue.busy = True  # nothing is sent
    crowd.cast(*voters(round(10 * per_second)))
    now += 10
    assert queue.pause_s() == pytest.approx(pause_s)
    queue.add(R1, crowd, closes_soon=True)
    assert queue.pause_s() == 0
    crowd.cast(R1)
    assert queue.pause_s() == pytest.approx(pause_s)
    now += 1
    assert queue.pause_s() == 0


async def test_ballots_of_a_busy_queue_share_a_script_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BallotQueue, "pause_s", lambda _: 0.05)
    async with Crowd() as crowd:
        for ballot in voters(5):
            crowd.cast(ballot)
            await asyncio.sleep(0)
        await crowd.answered(5)
    assert crowd.box.batches == [5]


async def test_intake_is_empty_when_every_ballot_of_every_queue_is_answered() -> None:
    async with Crowd(RecordingBox(away=[1], alone=False)) as crowd:
        tasks = len(asyncio.all_tasks())
        await crowd.intake.wait_until_empty()
        crowd.cast(*voters(MAX_BATCH + 5))
        crowd.queue = crowd.intake.new_queue(OTHER_WINDOW)
        crowd.cast(Y2)
        await crowd.intake.wait_until_empty()
        assert sorted(crowd.codes) == [*[OK] * (MAX_BATCH + 5), UNKNOWN]
        assert sorted(crowd.box.batches) == [1, 5, MAX_BATCH, MAX_BATCH], "one of them is repeated"
        assert (crowd.intake._busy, len(asyncio.all_tasks())) == (set(), tasks), "nothing is left of a queue"


async def test_intake_is_not_empty_before_ballots_cast_while_answering() -> None:
    class CastsAgain:
        def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
            asyncio.get_running_loop().call_soon(crowd.cast, Y2)

    async with Crowd() as crowd:
        crowd.queue.add(R1, CastsAgain())
        await crowd.intake.wait_until_empty()
        assert crowd.answers == {("v2", 1): [OK]}


async def test_queue_times_each_ballot_from_its_arrival() -> None:
    async with Crowd() as crowd:
        crowd.queue.busy = True
        crowd.cast(*voters(MAX_BATCH))
        between = time.monotonic()
        crowd.cast(R1)
        crowd.queue.requeue(crowd.queue.take_batch(), RedisError("away"))
        batches = crowd.queue.take_batch(), crowd.queue.take_batch()
        (_, _, first), (_, _, second) = (next(iter(batch.values())) for batch in batches)
        assert first <= between <= second


# ------------------------------------------------------------------ ballots of long windows
@pytest.mark.usefixtures("stored")
async def test_intake_stores_counted_ballots_of_long_window_before_answering() -> None:
    stored_first = []

    class Watcher:
        def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
            stored_first.append(bool(crowd.store.writes))

    async with Crowd() as crowd:
        crowd.queue.add(Ballot("v1", "red", 5, 5), Watcher())
        crowd.cast(Y2)
        await crowd.answered(1)
        crowd.cast(Ballot("v1", "red", 4, 4), Ballot("v9", "red", 1, 1))
        await crowd.answered(3)
    assert stored_first == [True]
    assert crowd.store.voters == [["v1", "v2"], ["v9"]], "only those that count"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("error", [OperationalError, InterfaceError, InternalError])
async def test_intake_retries_while_database_is_away(error: type[Exception]) -> None:
    async with Crowd(store=FakeStore(*[error("database is locked")] * 2)) as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(Y2)
        await crowd.answered(2)
    assert crowd.answers.keys() == {("v1", 1), ("v2", 1)}
    assert set(crowd.codes) <= COUNTED
    assert set().union(*crowd.store.voters[2:]) == {"v1", "v2"}


@pytest.mark.usefixtures("stored")
async def test_intake_survives_unexpected_store_error() -> None:
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    async with Crowd(store=FakeStore(IntegrityError("no such turn"))) as crowd:
        crowd.cast(R1)
        await crowd.store.written.wait()
        await asyncio.sleep(0)
        assert crowd.answers == {}
        crowd.cast(R1, Y2)
        await crowd.answered(2)
    assert crowd.answers == {("v1", 1): [CastResult.DUPLICATE], ("v2", 1): [OK]}
