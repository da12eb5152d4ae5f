"""A due plan is cast exactly once, whatever crashes and however many workers cast it."""

import pytest

from crowdgame.play.duels.models import ConditionalPicks
from crowdgame.play.duels.plan_casting import CAST_CONDITIONAL_PICKS, cast_due, is_due
from tests.crowdgame.play.duels.conditional_picks_helpers import (
    FIRST_TURN,
    begin_days,
    begin_with_due_plan,
    cast_by_phone,
    in_box,
    in_database,
    open_turn,
    plan,
    voter,
)
from tests.queued_tasks import run_queued_tasks
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import play
from tests.voting.recovery_model import Crash
from tests.voting.turns.test_turn_crashes import DyingBox
from voting.ballot_box.ballot_box import BallotBox
from voting.models import TurnState
from voting.turns.periodic import jobs_each_second
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("before", [True, False])
def test_crash_while_casting_only_delays_the_ballot(box: BallotBox, before: bool) -> None:
    playing, turn = begin_with_due_plan(box)
    with pytest.raises(Crash):
        cast_due(DyingBox("cast_new", before))
    assert in_database(turn) == []
    cast_due(box)
    assert in_box(turn, box) == in_database(turn) == [(voter(playing, "red"), "red", 5)]
    assert not ConditionalPicks.objects.exists()


def test_crash_while_closing_leaves_the_turn_to_the_retry(box: BallotBox) -> None:
    playing, turn = begin_with_due_plan(box)
    cast_by_phone(playing, "yellow", turn, 4, box)
    with pytest.raises(Crash):
        cast_due(DyingBox("picked_at", before=True))
    assert load_turn(turn.pk).state == TurnState.OPEN
    cast_due(box)
    assert load_turn(turn.pk).red_pick == 5
    assert not ConditionalPicks.objects.exists()


def test_turn_that_another_process_keeps_open_is_closed_later(box: BallotBox) -> None:
    playing, turn = begin_with_due_plan(box)
    cast_by_phone(playing, "yellow", turn, 4, box)
    with box.closing_lease.hold(turn.pk):
        cast_due(box)
        assert load_turn(turn.pk).state == TurnState.OPEN
        assert is_due()
    cast_due(box)
    assert load_turn(turn.pk).red_pick == 5
    assert not is_due()


def test_plan_that_is_too_late_lapses(box: BallotBox) -> None:
    """No worker ran during the whole following turn."""
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    play(playing.match, box, [*FIRST_TURN, (3, 4)])
    turn = open_turn(playing, box)
    cast_due(box)
    assert in_box(turn, box) == []
    assert not ConditionalPicks.objects.exists()


def test_failing_game_does_not_delay_others(box: BallotBox) -> None:
    first, second = begin_days(box), begin_days(box)
    for playing in (first, second):
        plan(playing, "red", 2, 5)
        play(playing.match, box, FIRST_TURN)
    turn = open_turn(first, box)
    open_turn(second, box)
    second.match.game = "no-such-game"
    second.match.save()
    with pytest.raises(Exception, match="no-such-game"):
        cast_due(box)
    assert len(in_box(turn, box)) == 1


@pytest.mark.django_db(transaction=True)
def test_scheduler_and_worker_cast_due_plans(box: BallotBox) -> None:
    _, turn = begin_with_due_plan(box)
    scheduler = DeadlineScheduler(box, jobs_each_second())
    scheduler.run_once()
    assert run_queued_tasks(CAST_CONDITIONAL_PICKS) == 1
    assert len(in_box(turn, box)) == 1
    assert not is_due()


@pytest.mark.django_db(transaction=True)
def test_workers_that_cast_at_once_cast_one_ballot_a_side(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    plan(playing, "yellow", 1, 6)
    play(playing.match, box, FIRST_TURN)
    turn = open_turn(playing, box)
    assert at_once(3, cast_due) == []
    while is_due():  # as the scheduler asks for it
        cast_due(box)
    closed = load_turn(turn.pk)
    assert (closed.state, closed.red_pick, closed.yellow_pick) == (TurnState.RESOLVED, 5, 6)
    assert sorted(in_box(turn, box)) == sorted(in_database(turn))
    assert len(in_box(turn, box)) == 2
    assert not ConditionalPicks.objects.exists()
