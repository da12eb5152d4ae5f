"""A gateway's idea of the box's time."""

import pytest

from voting.ballot_box.box_clock import QUICK_MS, STALE_MS, STEP_MS, BoxClock, local_ms


def test_the_middle_of_question_and_answer_is_when_the_box_spoke() -> None:
    clock = BoxClock()
    clock.learn(1_000_010, asked=0, answered=20)
    assert clock.offset_ms == 1_000_000


def test_a_slow_answer_is_taken_only_when_there_is_nothing_fresh() -> None:
    clock = BoxClock()
    clock.learn(1_000, asked=0, answered=QUICK_MS * 4)
    first = clock.offset_ms
    clock.learn(1_000 + int(STEP_MS), asked=1_000, answered=1_000 + QUICK_MS * 4)
    assert clock.offset_ms == first
    clock.learn(9_000, asked=STALE_MS * 2, answered=STALE_MS * 2 + QUICK_MS * 4)
    assert clock.offset_ms != first


def test_the_time_goes_on_between_two_looks() -> None:
    clock = BoxClock()
    here = local_ms()
    clock.learn(int(here) + 5_000, asked=here, answered=here)
    assert 4_990 <= clock.now() - local_ms() <= 5_010


@pytest.mark.parametrize("step", [300_000, -300_000])
def test_a_clock_that_was_set_is_followed_at_once_however_slow_the_answer(step: int) -> None:
    clock = BoxClock()
    clock.learn(1_000_000, asked=0, answered=2)
    box_ms, asked, answered = 1_010_000 + step, 9_000, 10_000
    assert abs(clock.step(box_ms, asked, answered) - step) <= answered - asked
    clock.learn(box_ms, asked, answered)
    assert abs((clock.offset_ms or 0) - 1_000_000 - step) <= answered - asked
    assert clock.step(box_ms + 1_000, asked + 1_000, answered + 1_000) == 0


def test_neither_a_freeze_nor_a_clock_that_goes_a_little_wrong_is_a_step() -> None:
    clock = BoxClock()
    clock.learn(1_000_000, asked=0, answered=0)
    assert clock.step(1_045_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000 + int(STEP_MS), asked=0, answered=0) == 0
