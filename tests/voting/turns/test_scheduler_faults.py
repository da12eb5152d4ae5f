from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
from redis import Redis, RedisError

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import wait_until
from tests.voting.match_helpers import ballots, kinds, new_event, start
from tests.voting.turns.conftest import DueTurn
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_clock import local_ms
from voting.models import Event, Match, Turn, TurnState
from voting.turns.retry_book import RetryBook
from voting.turns.scheduler import POLL_S, DeadlineScheduler
from voting.turns.time_steps import ClockSample, PlannedTimes, TimeSteps, move_next_match, move_turn
from voting.turns.turns import load_turn, to_boxed_turn

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


def test_other_node_or_frozen_box_is_no_clock_step(box: BallotBox) -> None:
    turn, steps = start(box), TimeSteps(box)
    for off_ms, node in ((0, "one"), (STEP, "two"), (STEP, "two"), (0, "one")):
        sample = steps.sample()
        sample = replace(sample, now=sample.now + off_ms, time_source=node)
        assert steps.plans_to_move(sample) == (0, PlannedTimes())
        steps.accept(sample)
    sample = steps.sample()
    _, plans = steps.plans_to_move(replace(sample, now=sample.now + STEP, time_source="one"))
    assert plans.turns == {turn.pk: 1}
    steps = TimeSteps(box)
    follow(steps, box, 0)
    now, local = box.now(), local_ms()
    for asked in (0, 45_000):  # the box, then the scheduler was frozen
        sample = ClockSample(now + 45_000, local + asked, local + 45_001, steps.plans)
        assert steps.plans_to_move(sample) == (0, PlannedTimes())


def test_scheduler_moves_deadlines_before_closes(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The box's clock was set forward by five minutes, so the deadline seems to have passed."""

    def fail(*arguments: object) -> None:
        raise RedisError("away")

    turn = start(box)
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    assert scheduler.steps._clock.offset_ms is not None
    scheduler.steps._clock.offset_ms -= STEP
    passed = box.now() - 1
    Turn.objects.filter(pk=turn.pk).update(opens_at=passed - 1_000, closes_at=passed)
    with monkeypatch.context() as patched:
        patched.setattr("voting.turns.scheduler.move_turn", fail)
        scheduler.run_once()
    assert (scheduler.unshifted, scheduler.dispatched) == ({turn.pk}, {})
    scheduler.retry_book.retry_at.clear()
    scheduler.run_once()
    assert abs(load_turn(turn.pk).closes_at - passed - STEP) < TOLERATED_MS
    assert not scheduler.dispatched


def test_failed_key_is_retried_when_its_time_has_come_and_after_the_others() -> None:
    book, tried = RetryBook(), list[int]()

    def act(key: int) -> None:
        tried.append(key)
        if key == 1:
            raise RedisError("away")

    assert [book.run_each("closing", [1, 2], act) for _ in range(2)] == [{1}, {1}]
    assert tried == [1, 2, 2]
    book.retry_at["closing 1"] = local_ms() - 1
    assert book.run_each("closing", [1, 2], act) == {1}
    assert tried == [1, 2, 2, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_turn_closes_after_failure(
    box: BallotBox, due: DueTurn, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    turn = due(red=[3])
    scheduler = DeadlineScheduler(box)
    with Redis.from_url(valkey_url) as redis:
        redis.config_set("maxmemory", 1)
        try:
            book, failed = scheduler.retry_book, f"closing turn {turn.pk}"
            wait_until(lambda: scheduler.run_once() and f"{failed} failed" in caplog.text)
            seal_again_at = book.retry_at[failed]
            wait_until(lambda: scheduler.run_once() and book.retry_at[failed] > seal_again_at)
        finally:
            redis.config_set("maxmemory", 0)
    assert load_turn(turn.pk).state == TurnState.OPEN
    assert caplog.text.count(f"{failed} failed") == caplog.text.count("closing it here") == 1
    wait_until(lambda: scheduler.run_once() and load_turn(turn.pk).state == TurnState.RESOLVED)
    assert f"{failed} succeeded" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_turn_that_cannot_be_closed_delays_no_other(
    box: BallotBox, due: DueTurn, valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, *sound = [due(red=[3]) for _ in range(3)]
    waiting, event, scheduler = start(box), new_event(), DeadlineScheduler(box)
    failed = f"closing turn {bad.pk} failed"
    with Redis.from_url(valkey_url) as redis:
        redis.set(to_boxed_turn(bad).keys[0], "spoilt")  # every script fails with WRONGTYPE
        redis.delete(*to_boxed_turn(waiting).keys)
        Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
        wait_until(lambda: scheduler.run_once() and failed in caplog.text)
        wait_until(lambda: scheduler.run_once() and {load_turn(t.pk).state for t in sound} == {"resolved"})
        wait_until(lambda: scheduler.run_once() and load_turn(waiting.pk).epoch == 2)
        assert event.matches.count() == 1
        assert not scheduler.is_waiting
        assert caplog.text.count(failed) == 1
        assert load_turn(bad.pk).state == TurnState.OPEN
        redis.delete(*to_boxed_turn(bad).keys)
    wait_until(lambda: scheduler.run_once() and load_turn(bad.pk).epoch == 2)


@pytest.mark.parametrize("damage", ["unknown game", "garbled ballots", "unplayable next match"])
def test_damaged_event_delays_no_other(damage: str, box: BallotBox, due: DueTurn, valkey_url: str) -> None:
    broken, sound = due(red=[3]), due(red=[3])
    match = Match.objects.filter(pk=broken.match_id)
    if damage == "unknown game":
        match.update(game="draughts")
    elif damage == "garbled ballots":
        ((shard, _),) = to_boxed_turn(broken).split(ballots("red", [3]))
        with Redis.from_url(valkey_url) as redis:
            redis.hset(shard.keys[1], "red1", "red 3 1 1")
    else:  # nor can the last one be shown
        match.update(game="draughts", state="aborted", ended_at=1)
        Turn.objects.filter(pk=broken.pk).update(state=TurnState.VOID)
        Event.objects.filter(pk=broken.match.event_id).update(game="draughts", next_match_at=1)
    scheduler = DeadlineScheduler(box)
    wait_until(lambda: scheduler.run_once() and load_turn(sound.pk).state == TurnState.RESOLVED)
    assert load_turn(broken.pk).state in {TurnState.OPEN, TurnState.VOID}
    assert Event.objects.get(pk=broken.match.event_id).next_match_at is None


def test_scheduler_waits_while_box_is_unreachable(caplog: pytest.LogCaptureFixture) -> None:
    with closing(BallotBox(f"redis://{LOOPBACK}:{free_port()}/0")) as unreachable:
        assert DeadlineScheduler(unreachable).run_once() == POLL_S
    assert "scheduler waiting for Redis or the database" in caplog.text
