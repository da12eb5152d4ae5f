"""The intake of a process: every ballot is answered despite outages."""

import asyncio

import pytest

from tests.voting.ballot_box.intake_helpers import COUNTED, Crowd, RecordingBox, run_scenario, voters
from tests.voting.box_helpers import R1, Y2, over, sealed
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, BoxedTurn, CastResult
from voting.ballot_box.intake import ANSWERS_PER_ITERATION, Slot
from voting.counting.ballots import Ballot

pytestmark = pytest.mark.usefixtures("turn")


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
        crowd.queue.add(Ballot("w-1", "red", 1, 1), Gone())
        crowd.cast(*voters(ANSWERS_PER_ITERATION))
        crowd.queue.add(Ballot("w-2", "red", 1, 1), Gone())
        crowd.cast(Y2)
        assert await crowd.answered(ANSWERS_PER_ITERATION + 2) == [CastResult.OK] * (
            ANSWERS_PER_ITERATION + 2
        )
        await crowd.intake.wait_until_empty()
        crowd.cast(R1)
        await crowd.answered(ANSWERS_PER_ITERATION + 3)

    run_scenario(scenario)
    assert errors == ["gone", "gone"]
