import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError
from redis import RedisError

from tests.monitoring.probes import own_refusals
from tests.voting.box_helpers import EVENT, R1, TURN, Y2
from voting.ballot_box import intake
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, CastReply, CastResult, PlaceResult, Storing
from voting.ballot_box.shards import ONE_SHARD, Shard
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.usefixtures("turn")
OK, UNKNOWN = CastResult.OK, CastResult.UNKNOWN
COUNTED = {CastResult.OK, CastResult.DUPLICATE}
WINDOW = intake.Slot(EVENT, TURN, 1)


class RecordingBox(AsyncBallotBox):
    """Records batch sizes; the calls numbered in `away` fail, before or after the script ran."""

    def __init__(self, away: Sequence[int], answer_lost: bool, alone: bool) -> None:
        super().__init__()
        self.away, self.answer_lost, self.alone = away, answer_lost, alone
        self.batches: list[int] = []
        self.in_flight = 0

    async def cast(
        self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot], shard: Shard = ONE_SHARD
    ) -> CastReply:
        assert not (self.alone and self.in_flight), "two calls are in flight"
        self.in_flight += 1
        self.batches.append(len(ballots))
        try:
            if len(self.batches) in self.away and not self.answer_lost:
                raise RedisError("away")
            answers = await super().cast(event_id, turn_id, epoch, ballots, shard)
            if len(self.batches) in self.away:
                raise RedisError("the answer was lost")
            return answers
        finally:
            self.in_flight -= 1


class Crowd:
    """Casts ballots into an intake and collects the answers. The store's first writes fail with `errors`."""

    def __init__(
        self, *errors: Exception, away: Sequence[int] = (), answer_lost: bool = False, alone: bool = True
    ) -> None:
        self.box, self.errors = RecordingBox(away, answer_lost, alone), [*errors]
        self.intake = intake.Intake(self.box, self.store)
        self.queue = self.intake.new_queue(WINDOW)
        self.stored: list[list[str]] = []  # the voters of each write
        self.answers: dict[tuple[str, int], list[int]] = {}
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.box.close()

    async def store(self, turn_id: int, ballots: list[Ballot]) -> None:
        self.stored.append([ballot.voter for ballot in ballots])
        if self.errors:
            raise self.errors.pop()

    def cast(self, *ballots: Ballot) -> None:
        for ballot in ballots:
            self.queue.add(ballot, self)

    def answer(self, slot: intake.Slot, ballot: Ballot, code: int) -> None:
        assert slot == self.queue.slot or slot.turn_id == TURN
        self.answers.setdefault((ballot.voter, ballot.sequence), []).append(code)
        self._changed.set()

    @property
    def codes(self) -> list[int]:
        return [code for codes in self.answers.values() for code in codes]

    async def answered(self, count: int) -> list[int]:
        async with asyncio.timeout(10):
            while len(self.codes) < count:
                self._changed.clear()
                await self._changed.wait()
        return self.codes


def voters(count: int) -> list[Ballot]:
    return [Ballot(f"w{i}", "red", 1, 1) for i in range(count)]


async def test_intake_batches_ballots_arriving_during_a_call() -> None:
    async with Crowd() as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(*voters(500))
        assert await crowd.answered(501) == [OK] * 501
    assert crowd.box.batches == [1, 500]
    assert crowd.stored == [], "the window is short"


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
    async with Crowd(away=[1, 2], answer_lost=answer_lost) as crowd:
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
        def answer(self, slot: intake.Slot, ballot: Ballot, code: int) -> None:
            raise LookupError("gone")

    loop, ok = asyncio.get_running_loop(), intake.ANSWERS_PER_ITERATION + 2
    loop.set_exception_handler(lambda _, context: errors.append(str(context["exception"])))
    async with Crowd() as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.queue.add(Ballot("w-1", "red", 1, 1), Gone())
        crowd.cast(*voters(intake.ANSWERS_PER_ITERATION))
        crowd.queue.add(Ballot("w-2", "red", 1, 1), Gone())
        crowd.cast(Y2)
        assert await crowd.answered(ok) == [OK] * ok
        await crowd.intake.wait_until_empty()
        crowd.cast(R1)
        await crowd.answered(ok + 1)
    assert errors == ["gone", "gone"]


async def test_queue_answers_busy_when_full() -> None:
    before = own_refusals("ballot")
    async with Crowd() as crowd:
        crowd.cast(*voters(intake.MAX_PENDING))
        assert crowd.answers == {}
        crowd.cast(Ballot("last", "red", 1, 1))
        assert crowd.answers == {("last", 1): [CastResult.BUSY]}
        await crowd.answered(intake.MAX_PENDING + 1)
        crowd.cast(Ballot("last", "red", 1, 1))
        await crowd.answered(intake.MAX_PENDING + 2)
        assert crowd.answers["last", 1] == [CastResult.BUSY, OK]
    assert own_refusals("ballot") == before + 1


@pytest.mark.parametrize(
    ("per_second", "pause_s"),
    [
        (10, 0),
        (intake.QUIET_PER_S, 0),
        (175, intake.MAX_PAUSE_S / 2),
        (intake.BUSY_PER_S, intake.MAX_PAUSE_S),
    ],
)
def test_many_ballots_are_batched(per_second: float, pause_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
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
    monkeypatch.setattr(intake.BallotQueue, "pause_s", lambda _: 0.05)
    async with Crowd() as crowd:
        for ballot in voters(5):
            crowd.cast(ballot)
            await asyncio.sleep(0)
        await crowd.answered(5)
    assert crowd.box.batches == [5]


async def test_intake_is_empty_when_every_ballot_of_every_queue_is_answered() -> None:
    async with Crowd(away=[1], alone=False) as crowd:
        tasks = len(asyncio.all_tasks())
        await crowd.intake.wait_until_empty()
        crowd.cast(*voters(MAX_BATCH + 5))
        crowd.queue = crowd.intake.new_queue(intake.Slot(EVENT, TURN + 1, 1))
        crowd.cast(Y2)
        await crowd.intake.wait_until_empty()
        assert sorted(crowd.codes) == [*[OK] * (MAX_BATCH + 5), UNKNOWN]
        assert sorted(crowd.box.batches) == [1, 5, MAX_BATCH, MAX_BATCH], "one of them is repeated"
        assert (crowd.intake._busy, len(asyncio.all_tasks())) == (set(), tasks), "nothing is left of a queue"


async def test_intake_is_not_empty_before_ballots_cast_while_answering() -> None:
    class CastsAgain:
        def answer(self, slot: intake.Slot, ballot: Ballot, code: int) -> None:
            asyncio.get_running_loop().call_soon(crowd.cast, Y2)

    async with Crowd() as crowd:
        crowd.queue.add(R1, CastsAgain())
        await crowd.intake.wait_until_empty()
        assert crowd.answers == {("v2", 1): [OK]}


@pytest.fixture(params=[Storing.FIRST])
def stored(request: pytest.FixtureRequest, turn: BoxedTurn, box: BallotBox) -> None:
    assert box.place(replace(turn, version=2, stored=request.param), create=False) == PlaceResult.DONE


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("stored", [Storing.FIRST, Storing.SOON], indirect=True)
async def test_intake_stores_counted_ballots_of_long_window_before_answering() -> None:
    stored_first = []

    class Watcher:
        def answer(self, slot: intake.Slot, ballot: Ballot, code: int) -> None:
            stored_first.append(bool(crowd.stored))

    async with Crowd() as crowd:
        crowd.queue.add(Ballot("v1", "red", 5, 5), Watcher())
        crowd.cast(Y2)
        await crowd.answered(1)
        crowd.cast(Ballot("v1", "red", 4, 4), Ballot("v9", "red", 1, 1))
        await crowd.answered(3)
    assert stored_first == [True]
    assert crowd.stored == [["v1", "v2"], ["v9"]], "only those that count"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("error", [OperationalError, InterfaceError, InternalError])
async def test_intake_retries_while_database_is_away(error: type[Exception]) -> None:
    async with Crowd(*[error("database is locked")] * 2) as crowd:
        crowd.cast(R1)
        await asyncio.sleep(0)
        crowd.cast(Y2)
        await crowd.answered(2)
    assert crowd.answers.keys() == {("v1", 1), ("v2", 1)}
    assert set(crowd.codes) <= COUNTED
    assert set().union(*crowd.stored[2:]) == {"v1", "v2"}


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("stored", [Storing.SOON], indirect=True)
async def test_intake_answers_duels_while_database_is_away_and_stores_later() -> None:
    stores_before_answer = []

    class Watcher:
        def answer(self, slot: intake.Slot, ballot: Ballot, code: int) -> None:
            stores_before_answer.append((code, len(crowd.stored)))

    async with Crowd(*[OperationalError("away")] * 2) as crowd:
        crowd.queue.add(R1, Watcher())
        await crowd.intake.wait_until_empty()
    assert stores_before_answer == [(OK, 1)]
    assert crowd.stored == [["v1"]] * 3


@pytest.mark.usefixtures("stored")
async def test_intake_survives_unexpected_store_error() -> None:
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    async with Crowd(IntegrityError("no such turn")) as crowd:
        crowd.cast(R1)
        await crowd.intake.wait_until_empty()
        assert crowd.answers == {}
        crowd.cast(R1, Y2)
        await crowd.answered(2)
    assert crowd.answers == {("v1", 1): [CastResult.DUPLICATE], ("v2", 1): [OK]}
