"""A gateway's estimate of the clock of the ballot box."""

import pytest

from voting.ballot_box.box_clock import FAST_REPLY_MS, MIN_STEP_MS, OFFSET_STALE_MS, BoxClock, local_ms


def test_box_clock_takes_midpoint_of_round_trip_and_advances_from_there() -> None:
    clock = BoxClock()
    clock.observe(1_000_010, asked=0, answered=20)
    assert clock.offset_ms == 1_000_000
    assert 999_990 <= clock.now() - local_ms() <= 1_000_010


def test_box_clock_uses_slow_answer_only_if_estimate_is_stale() -> None:
    clock = BoxClock()
    clock.observe(1_000, asked=0, answered=FAST_REPLY_MS * 4)
    first = clock.offset_ms
    clock.observe(1_000 + int(MIN_STEP_MS), asked=1_000, answered=1_000 + FAST_REPLY_MS * 4)
    assert clock.offset_ms == first
    clock.observe(9_000, asked=OFFSET_STALE_MS * 2, answered=OFFSET_STALE_MS * 2 + FAST_REPLY_MS * 4)
    assert clock.offset_ms != first


@pytest.mark.parametrize("step", [300_000, -300_000])
def test_box_clock_follows_step_despite_slow_answer(step: int) -> None:
    clock = BoxClock()
    clock.observe(1_000_000, asked=0, answered=2)
    box_ms, asked, answered = 1_010_000 + step, 9_000, 10_000
    assert abs(clock.step(box_ms, asked, answered) - step) <= answered - asked
    clock.observe(box_ms, asked, answered)
    assert abs((clock.offset_ms or 0) - 1_000_000 - step) <= answered - asked
    assert clock.step(box_ms + 1_000, asked + 1_000, answered + 1_000) == 0


def test_box_clock_ignores_freeze_and_small_drift() -> None:
    clock = BoxClock()
    clock.observe(1_000_000, asked=0, answered=0)
    assert clock.step(1_045_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000, asked=0, answered=45_000) == 0
    assert clock.step(1_000_000 + int(MIN_STEP_MS), asked=0, answered=0) == 0
