"""Clock steps: deadlines move along with the box's clock, once. See tests/chaos for real changes."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.voting.match_helpers import kinds, new_event, start
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import local_ms
from voting.models import Event, Turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.time_steps import ClockSample, PlannedTimes, TimeSteps, move_next_match, move_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
STEP = 300_000
TOLERATED_MS = 5_000  # the first sample is off by half its round trip


def follow(steps: TimeSteps, box: BallotBox, off_ms: int, between: Callable[[], object] = int) -> None:
    """Sample the clock with an offset and apply the moves; `between` runs between the two."""
    sample = steps.sample()
    sample = replace(sample, now=sample.now + off_ms)
    between()
    step, plans = steps.plans_to_move(sample)
    for turn_id, version in plans.turns.items():
        move_turn(turn_id, version, step, sample.now, box)
    for event_id, planned_at in plans.matches.items():
        move_next_match(event_id, planned_at, step, sample.now)
    steps.accept(sample)


@pytest.mark.parametrize("step", [STEP, -STEP])
def test_clock_step_moves_windows_and_scheduled_matches(box: BallotBox, step: int) -> None:
    turn, paused, waiting = start(box), start(box), new_event()
    Turn.objects.filter(pk=paused.pk).update(state="paused", left_ms=1, opens_at=0, closes_at=0)
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
    assert box.place(replace(to_boxed_turn(moved), version=0), create=False)
    assert load_turn(paused.pk).closes_at == 0


def test_schedulers_move_turn_once(box: BallotBox) -> None:
    turn, one, other = start(box), TimeSteps(box), TimeSteps(box)
    for steps in (one, other):
        follow(steps, box, 0)
    follow(one, box, STEP, between=lambda: follow(other, box, STEP))
    once = load_turn(turn.pk).closes_at
    for steps in (one, other):
        follow(steps, box, STEP)
    assert abs(once - turn.closes_at - STEP) < TOLERATED_MS
    assert load_turn(turn.pk).closes_at == once
    assert kinds(turn.match.event_id).count("turn.moved") == 1


@pytest.mark.parametrize(("offsets", "moved"), [((0, -STEP, -STEP), -STEP), ((STEP, 0, 0), 0)])
def test_turn_planned_before_a_step_moves(offsets: tuple[int, int, int], moved: int, box: BallotBox) -> None:
    steps = TimeSteps(box)
    for off_ms in offsets[:2]:
        follow(steps, box, off_ms)
    turn = start(box)
    follow(steps, box, offsets[2])
    assert abs(load_turn(turn.pk).closes_at - turn.closes_at - moved) < TOLERATED_MS


@pytest.mark.parametrize("step", [2_500, -2_500])
def test_small_clock_step_moves_window_once(box: BallotBox, step: int) -> None:
    """Regardless of the interval: the samples are two seconds apart."""
    turn, steps = start(box), TimeSteps(box)
    local = local_ms()
    seen = ClockSample(box.now(), local, local, steps.sample().plans)
    steps.accept(seen)
    for number in range(1, 6):
        local = seen.answered + 2_000 * number
        late = ClockSample(seen.now + 2_000 * number + step, local, local, steps.sample().plans)
        due, plans = steps.plans_to_move(late)
        for turn_id, version in plans.turns.items():
            move_turn(turn_id, version, due, late.now, box)
        steps.accept(late)
    assert abs(load_turn(turn.pk).closes_at - turn.closes_at - step) < 100
    assert kinds(turn.match.event_id).count("turn.moved") == 1


def test_clock_of_another_node_is_no_step(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    for off_ms, node in ((0, "one"), (STEP, "two"), (STEP, "two"), (0, "one")):
        sample = steps.sample()
        sample = replace(sample, now=sample.now + off_ms, time_source=node)
        assert steps.plans_to_move(sample) == (0, PlannedTimes())
        steps.accept(sample)
    sample = steps.sample()
    _, plans = steps.plans_to_move(replace(sample, now=sample.now + STEP, time_source="one"))
    assert plans.turns == {turn.pk: 1}


def test_frozen_box_or_scheduler_is_no_clock_step(box: BallotBox) -> None:
    start(box)
    steps = TimeSteps(box)
    follow(steps, box, 0)
    now, local = box.now(), local_ms()
    for asked in (0, 45_000):  # the box, then the scheduler was frozen
        sample = ClockSample(now + 45_000, local + asked, local + 45_001, steps.plans)
        assert steps.plans_to_move(sample) == (0, PlannedTimes())


def test_scheduler_moves_deadlines_before_closing_turns(box: BallotBox) -> None:
    """The scheduler's estimate is five minutes behind the box, so the deadline seems to have passed."""
    turn = start(box)
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    assert scheduler.steps._clock.offset_ms is not None
    scheduler.steps._clock.offset_ms -= STEP
    scheduler.run_once()
    assert abs(load_turn(turn.pk).closes_at - turn.closes_at - STEP) < TOLERATED_MS
    assert not scheduler.dispatched
