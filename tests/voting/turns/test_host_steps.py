"""Matches in which reveals and next turns wait for the host."""

import pytest

from tests.voting.action_helpers import event_of, press, refused
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    SELECTOR,
    kinds,
    only_turn,
    open_now,
    reveal_ms,
    run_out,
    tally_of,
    vote,
)
from tests.voting.turns.conftest import DueTurn, crashing
from tests.voting.turns.test_turn_crashes import run_again
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.metrics.metrics import REGISTRY
from voting.models import TallyRecord, Turn, TurnState
from voting.turns import closing
from voting.turns.closing import close_together, close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.host_steps import reveal_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(box: BallotBox, due: DueTurn) -> Turn:
    """A closed vote that waits for the host."""
    turn = due(red=[3], yellow=[5], host_wait_s=60)
    close_turn(turn.pk, box)
    return load_turn(turn.pk)


def wait(turn: Turn, seconds: int) -> None:
    """Let the turn wait for the host that long: move its window into the past."""
    times = {"opens_at": turn.opens_at - seconds * 1000, "closes_at": turn.closes_at - seconds * 1000}
    Turn.objects.filter(pk=turn.pk).update(**times)


def resolve_lag_s() -> float:
    return REGISTRY.get_sample_value("crowdgame_resolve_lag_seconds_sum") or 0


def test_turn_is_sealed_at_its_deadline_and_not_counted_before_the_host_presses(
    waiting: Turn, box: BallotBox
) -> None:
    assert (waiting.state, waiting.is_sealed, waiting.red_pick) == (TurnState.OPEN, True, None)
    assert not TallyRecord.objects.exists()
    vote(waiting, box, red=[7, 7])
    wait(waiting, 50)
    before = resolve_lag_s()
    press(event_of(waiting), "reveal.start", box, turn=waiting.pk)
    assert 0 < resolve_lag_s() - before < 40, "the time until the host presses is no delay"
    revealed = load_turn(waiting.pk)
    assert (revealed.state, revealed.red_pick, revealed.yellow_pick) == (TurnState.RESOLVED, 3, 5)
    assert tally_of(waiting, "red").ballots == 1
    with refused("no reveal to start"):
        reveal_turn(waiting.pk, box)


def test_next_turn_opens_after_the_wait_or_when_the_host_presses(waiting: Turn, box: BallotBox) -> None:
    press(event_of(waiting), "reveal.start", box)
    following, resolved_at = only_turn(waiting.match), load_turn(waiting.pk).resolved_at or 0
    assert following.opens_at == resolved_at + reveal_ms(waiting) + 60_000
    Turn.objects.filter(pk=waiting.pk).update(resolved_at=resolved_at - reveal_ms(waiting))
    press(event_of(waiting), "turn.open", box, turn=following.pk)
    opened = load_turn(following.pk)
    assert box.now() < opened.opens_at <= box.now() + 1_000
    assert opened.closes_at - opened.opens_at == following.closes_at - following.opens_at


def test_scheduler_reveals_turn_that_no_host_reveals(
    waiting: Turn, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    enqueued: list[int] = []
    monkeypatch.setattr("voting.turns.scheduler.enqueue_close", lambda *turn_ids: enqueued.extend(turn_ids))
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)
    run_again(box)
    assert (load_turn(waiting.pk).state, enqueued) == (TurnState.OPEN, [])
    wait(waiting, 60)
    run_again(box)
    assert (load_turn(waiting.pk).state, enqueued) == (TurnState.RESOLVED, [waiting.pk])


def test_turn_sealed_before_a_crash_is_revealed_by_the_host(box: BallotBox, due: DueTurn) -> None:
    turn = due(red=[3], host_wait_s=60)
    with crashing(closing, "publish_seals"):
        close_turn(turn.pk, box)
    run_again(box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    reveal_turn(turn.pk, box)
    assert (load_turn(turn.pk).red_pick, kinds(event_of(turn)).count("turn.revealed")) == (3, 1)


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_reveal_one_turn(waiting: Turn) -> None:
    refusals = at_once(2, lambda own: press(event_of(waiting), "reveal.start", own, turn=waiting.pk))
    assert [type(error) for error in refusals] == [MatchError]
    assert kinds(event_of(waiting)).count("turn.revealed") == 1
    assert list(waiting.match.turns.values_list("number", flat=True)) == [1, 2]


def test_turns_closed_together_wait_for_the_host_too(box: BallotBox, due: DueTurn) -> None:
    turns = [due(red=[3], host_wait_s=wait_s) for wait_s in (None, 60)]
    close_together([turn.pk for turn in turns], box)
    assert [load_turn(turn.pk).state for turn in turns] == [TurnState.RESOLVED, TurnState.OPEN]


def test_vote_that_everyone_has_cast_waits_for_the_host_too(box: BallotBox, due: DueTurn) -> None:
    turn = due(host_wait_s=60, close_early=True)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    with refused("no reveal to start"):
        press(event_of(turn), "reveal.start", box, turn=turn.pk)
    close_turn_early(turn.pk, load_turn(turn.pk).closes_at, box)
    early = load_turn(turn.pk)
    assert (early.state, early.is_sealed) == (TurnState.OPEN, True)


def test_concealed_turn_does_not_wait_for_the_host(box: BallotBox, due: DueTurn) -> None:
    turn = due(red=[3], yellow=[3], game=SELECTOR, host_wait_s=60)
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.CONCEALED
    following = only_turn(turn.match)
    run_out(following, box)
    close_turn(following.pk, box)
    assert load_turn(following.pk).state == TurnState.OPEN
