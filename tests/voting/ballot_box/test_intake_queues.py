"""The queues of an intake: each window has one, with one call in flight."""

import asyncio
import time

import pytest
from redis import RedisError

from tests.voting.ballot_box.intake_helpers import WINDOW, Crowd, RecordingBox, run_scenario, voters
from tests.voting.box_helpers import EVENT, R1, TURN, Y2
from tests.voting.gateway_helpers import NO_BOX
from voting.ballot_box.box_types import MAX_BATCH, CastResult
from voting.ballot_box.intake import BUSY_PER_S, MAX_PAUSE_S, MAX_PENDING, QUIET_PER_S, Intake, Slot
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.usefixtures("turn")


def test_intake_keeps_a_lane_per_window() -> None:
    async def scenario(crowd: Crowd) -> None:
        crowd.cast(R1)
        crowd.queue = crowd.intake.new_queue(Slot(EVENT, TURN + 1, 1))
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
    ("per_second", "pause_s"), [(10, 0), (QUIET_PER_S, 0), (175, MAX_PAUSE_S / 2), (BUSY_PER_S, MAX_PAUSE_S)]
)
def test_batches_wait_longer_the_faster_ballots_arrive(
    per_second: float, pause_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("voting.ballot_box.intake.time.monotonic", lambda: now)
    queue = Intake(NO_BOX, NO_BOX).new_queue(WINDOW)
    queue.busy = True  # nothing is sent
    for ballot in voters(round(10 * per_second)):
        queue.add(ballot, Crowd(queue._intake, WINDOW))
    now += 10
    assert queue.pause_s() == pytest.approx(pause_s)
    queue.add(voters(1)[0], Crowd(queue._intake, WINDOW), closes_soon=True)
    assert queue.pause_s() == 0
    queue.add(voters(1)[0], Crowd(queue._intake, WINDOW))
    assert queue.pause_s() == pytest.approx(pause_s)
    now += 1
    assert queue.pause_s() == 0


def test_ballots_of_a_busy_lane_share_a_script_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.ballot_box.intake.BallotQueue.pause_s", lambda _: 0.05)

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
        crowd.queue = crowd.intake.new_queue(Slot(EVENT, TURN + 1, 1))
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

        crowd.queue.add(R1, CastsAgain())
        await crowd.intake.wait_until_empty()
        assert crowd.answers == {("v2", 1): [CastResult.OK]}

    run_scenario(scenario)


def test_empty_lane_leaves_no_task_or_state() -> None:
    async def scenario(crowd: Crowd) -> None:
        before = len(asyncio.all_tasks())
        for count in range(1, 6):
            crowd.queue = crowd.intake.new_queue(WINDOW)
            crowd.cast(Ballot("v1", "red", 1, count))
            await crowd.answered(count)
        await crowd.intake.wait_until_empty()
        assert crowd.intake._busy == set()
        assert len(asyncio.all_tasks()) == before

    run_scenario(scenario)


def test_lane_times_each_ballot_from_its_arrival() -> None:
    async def scenario(crowd: Crowd) -> None:
        queue = crowd.queue
        queue.busy = True
        crowd.cast(*voters(MAX_BATCH))
        between = time.monotonic()
        crowd.cast(R1)
        queue.requeue(queue.take_batch(), RedisError("away"))
        batches = queue.take_batch(), queue.take_batch()
        (_, _, first), (_, _, second) = (next(iter(batch.values())) for batch in batches)
        assert first <= between <= second

    run_scenario(scenario)
