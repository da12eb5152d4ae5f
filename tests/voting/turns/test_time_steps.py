"""The box's clock is set: what it times moves along, once. With clocks really set: tests/chaos."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from games.models import Event, Turn
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import kinds, new_event, open_now, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import local_ms
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.time_steps import ClockSample, Plans, TimeSteps, move_next_match, move_turn
from voting.turns.turns import boxed, load_turn

pytestmark = pytest.mark.django_db
STEP = 300_000
TOLERATED_MS = 5_000  # the first reading of the clock is off by half its round trip


def follow(steps: TimeSteps, box: BallotBox, off_ms: int, between: Callable[[], object] = int) -> ClockSample:
    """A clock's look at a box whose clock is so far from what it was; `between` it and its moves."""
    sample = steps.sample()
    sample = replace(sample, now=sample.now + off_ms)
    between()
    step, plans = steps.to_move(sample)
    for turn_id, version in plans.turns.items():
        move_turn(turn_id, version, step, sample.now, box)
    for event_id, planned_at in plans.matches.items():
        move_next_match(event_id, planned_at, step, sample.now)
    steps.keep(sample)
    return sample


def closes_at(turn: Turn) -> int:
    return load_turn(turn.pk).closes_at


@pytest.mark.parametrize("step", [STEP, -STEP])
def test_windows_and_next_matches_move_along_and_everyone_is_told(box: BallotBox, step: int) -> None:
    turn, waiting = start(box), new_event()
    planned_at = box.now() + 60_000
    Event.objects.filter(pk=waiting.pk).update(next_match_at=planned_at)
    steps = TimeSteps(box)
    follow(steps, box, 0)
    follow(steps, box, step)
    moved = load_turn(turn.pk)
    assert abs(moved.closes_at - turn.closes_at - step) < TOLERATED_MS
    assert abs(moved.opens_at - turn.opens_at - step) < TOLERATED_MS
    assert abs((Event.objects.get(pk=waiting.pk).next_match_at or 0) - planned_at - step) < TOLERATED_MS
    assert kinds(turn.match.event_id)[-1] == "turn.moved"
    assert kinds(waiting.pk)[-1] == "event.edited"
    assert box.place(replace(boxed(moved), version=0), create=False)


def test_what_moved_stays_where_it_is(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    follow(steps, box, 0)
    follow(steps, box, STEP)
    once = closes_at(turn)
    follow(steps, box, STEP)
    follow(steps, box, STEP)
    assert closes_at(turn) == once


def test_of_two_clocks_one_moves_it_even_if_the_other_looks_in_between(box: BallotBox) -> None:
    turn, one, other = start(box), TimeSteps(box), TimeSteps(box)
    follow(one, box, 0)
    follow(other, box, 0)
    follow(one, box, STEP, between=lambda: follow(other, box, STEP))
    once = closes_at(turn)
    follow(other, box, STEP)
    assert abs(once - turn.closes_at - STEP) < TOLERATED_MS
    assert closes_at(turn) == once
    assert kinds(turn.match.event_id).count("turn.moved") == 1


@pytest.mark.django_db(transaction=True)
def test_clocks_that_find_it_at_the_same_moment_move_it_once(box: BallotBox) -> None:
    turn = start(box)
    version = load_turn(turn.pk).version
    at_once(4, lambda own: move_turn(turn.pk, version, STEP, box.now() + STEP, own))
    assert closes_at(turn) == turn.closes_at + STEP


def test_a_turn_that_changed_since_is_left_as_it_was_written(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    follow(steps, box, 0)
    sample = steps.sample()
    open_now(turn, box)  # somebody who knows the new time already
    written = closes_at(turn)
    step, plans = steps.to_move(replace(sample, now=sample.now + STEP))
    for turn_id, version in plans.turns.items():
        move_turn(turn_id, version, step, sample.now, box)
    assert closes_at(turn) == written


def test_a_turn_planned_by_the_old_time_moves_even_if_it_is_written_afterwards(box: BallotBox) -> None:
    steps = TimeSteps(box)
    follow(steps, box, 0)
    follow(steps, box, -STEP)
    turn = start(box)  # its times and what is told of it are those of before the step
    follow(steps, box, -STEP)
    assert abs(closes_at(turn) - turn.closes_at + STEP) < TOLERATED_MS


def test_a_turn_planned_by_the_new_time_stays(box: BallotBox) -> None:
    steps = TimeSteps(box)
    follow(steps, box, STEP)
    follow(steps, box, 0)
    turn = start(box)
    follow(steps, box, 0)
    assert closes_at(turn) == turn.closes_at


@pytest.mark.parametrize("step", [2_500, -2_500])
def test_after_a_small_step_a_window_moves_once(box: BallotBox, step: int) -> None:
    """However far apart the looks are: each of these is two seconds after the last one."""
    turn, steps = start(box), TimeSteps(box)
    here = local_ms()
    seen = ClockSample(box.now(), here, here, steps.sample().plans)
    steps.keep(seen)
    for number in range(1, 6):
        here = seen.answered + 2_000 * number
        late = ClockSample(seen.now + 2_000 * number + step, here, here, steps.sample().plans)
        due, plans = steps.to_move(late)
        for turn_id, version in plans.turns.items():
            move_turn(turn_id, version, due, late.now, box)
        steps.keep(late)
    assert abs(closes_at(turn) - turn.closes_at - step) < 100
    assert kinds(turn.match.event_id).count("turn.moved") == 1


def test_another_nodes_time_is_no_step(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    for off_ms, node in ((0, "one"), (STEP, "two"), (STEP, "two"), (0, "one")):
        sample = steps.sample()
        sample = replace(sample, now=sample.now + off_ms, timekeeper=node)
        assert steps.to_move(sample) == (0, Plans())
        steps.keep(sample)
    sample = steps.sample()
    assert steps.to_move(replace(sample, now=sample.now + STEP, timekeeper="one"))[1].turns == {turn.pk: 1}


def test_a_paused_turn_has_no_time_to_move(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    Turn.objects.filter(pk=turn.pk).update(state="paused", left_ms=1, opens_at=0, closes_at=0)
    follow(steps, box, 0)
    follow(steps, box, STEP)
    assert closes_at(turn) == 0


def test_a_box_that_was_frozen_and_a_clock_that_was_are_no_step(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    follow(steps, box, 0)
    now, here = box.now(), local_ms()
    frozen_box = ClockSample(now + 45_000, here, here + 45_000, steps.plans)
    assert steps.to_move(frozen_box) == (0, Plans())
    frozen_clock = ClockSample(now + 45_000, here + 45_000, here + 45_001, steps.plans)
    assert steps.to_move(frozen_clock) == (0, Plans())
    assert closes_at(turn) == turn.closes_at


def test_the_clock_moves_what_it_times_before_it_closes_anything(box: BallotBox) -> None:
    """Its own idea of the time is five minutes behind the box's: the turn seems to be over."""
    turn = start(box)
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    assert scheduler.steps._clock.offset_ms is not None
    scheduler.steps._clock.offset_ms -= STEP
    scheduler.run_once()
    assert abs(closes_at(turn) - turn.closes_at - STEP) < TOLERATED_MS
    assert not scheduler.armed
