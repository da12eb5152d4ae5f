"""Crashed processes and lost ballot boxes: the next process finishes the work, once, and no vote is lost."""

from collections import Counter
from typing import Any

import pytest
from redis import Redis

from tests.voting.box_helpers import seal
from tests.voting.box_loss_helpers import empty
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    SELECTOR,
    ballots,
    kinds,
    new_event,
    only_turn,
    open_now,
    play_out,
    play_turn,
    run_out,
    start,
    store,
    tally_of,
    vote,
)
from tests.voting.recovery_model import Crash
from tests.voting.turns.conftest import DueTurn, crashing
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.counting.ballots import Ballot
from voting.models import Announcement, Match, TallyRecord, TurnState
from voting.turns import closing, outcome_store
from voting.turns.closing import close_together, close_turn
from voting.turns.restoring import restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db
LONG_S = 601


class DyingBox(BallotBox):
    """A process that dies just before or just after one of its calls."""

    def __init__(self, step: str, before: bool) -> None:
        super().__init__()
        call = getattr(self, step)

        def crash(*arguments: Any, **options: Any) -> None:
            if not before:
                call(*arguments, **options)
            raise Crash

        setattr(self, step, crash)


def run_again(box: BallotBox, iterations: int = 3) -> None:
    scheduler = DeadlineScheduler(box)
    for _ in range(iterations):
        scheduler.chores_at = 0.0
        scheduler.run_once()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("owner", "step"),
    [
        (BallotBox, "seal_all"),
        (closing, "publish_seals"),
        (outcome_store, "claim_turns"),
        (outcome_store, "announce_all"),
        (closing, "relay"),
        (BallotBox, "place_all"),
        (BallotBox, "expire_all"),
    ],
)
def test_crashed_close_is_finished_by_next_process(
    owner: Any, step: str, after: bool, box: BallotBox, due: DueTurn
) -> None:
    whole, half = due(red=[3, 3, 1], yellow=[6]), due(red=[3, 3, 1], game=SELECTOR)
    with crashing(owner, step, after=after):
        close_together([whole.pk, half.pk], box)
    is_written = step in {"place_all", "expire_all", "relay"}
    assert [load_turn(turn.pk).state != TurnState.OPEN for turn in (whole, half)] == [is_written] * 2
    close_together([whole.pk, half.pk], box)
    run_again(box)
    states = [(turn.state, turn.red_pick, turn.yellow_pick) for turn in map(load_turn, (whole.pk, half.pk))]
    assert states == [(TurnState.RESOLVED, 3, 6), (TurnState.CONCEALED, 3, None)]
    for turn in (whole, half):
        following = only_turn(turn.match)
        assert tally_of(turn, "red").ballots == 3
        assert (following.number, type(seal(box, to_boxed_turn(following)))) == (2, TooEarly)
    assert TallyRecord.objects.count() == 3
    assert not Announcement.objects.filter(sent_at=None).exists()
    play_turn(only_turn(half.match), box, yellow=[3])
    announced = [Counter(kinds(turn.match.event_id)) for turn in (whole, half)]
    assert [(of["turn.concealed"], of["turn.revealed"]) for of in announced] == [(0, 1), (1, 1)]


def test_crashed_start_is_repaired_by_scheduler(box: BallotBox) -> None:
    event = new_event()
    dying = DyingBox("place", before=True)
    with pytest.raises(Crash):
        start_match(event.pk, dying)
    dying.close()
    run_again(box)
    turn = only_turn(Match.objects.get(event=event))
    assert turn.epoch == 2
    assert isinstance(seal(box, to_boxed_turn(turn)), TooEarly)


@pytest.mark.parametrize("step", ["place", "cast"])
def test_crashed_restore_is_finished_by_scheduler(step: str, box: BallotBox) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    store(turn, ballots("red", [2, 2]))
    empty()
    dying = DyingBox(step, before=True)
    with pytest.raises(Crash):
        restore_turn(turn.pk, dying)
    dying.close()
    run_again(box)
    after = play_out(turn, box)
    assert (after.state, after.red_pick) == (TurnState.RESOLVED, 2)
    assert tally_of(turn, "red").ballots == 2


def test_box_with_missing_ballot_is_restored_with_the_rest(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[2, 2, 5])
    with Redis.from_url(valkey_url) as redis:
        redis.hdel(to_boxed_turn(turn).keys[1], "red3")
    run_out(turn, box)
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    play_out(restored, box)
    assert tally_of(turn, "red").ballots == 2


@pytest.mark.django_db(transaction=True)
def test_concurrent_restores_restore_once(box: BallotBox) -> None:
    turn = start(box)
    empty()
    at_once(4, lambda own: restore_turn(turn.pk, own))
    restore_turn(turn.pk, box)
    assert load_turn(turn.pk).epoch == 2
    assert kinds(turn.match.event_id).count("turn.restored") == 1


def test_stored_ballot_missing_from_box_counts(box: BallotBox) -> None:
    """The box was restored from an older copy: stored ballots still count, once each."""
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    vote(turn, box, red=[1, 1])
    store(turn, [*ballots("red", [6], sequence=2), Ballot("red9", "red", 6, 1)])
    play_out(turn, box)
    record = tally_of(turn, "red")
    assert (record.counts, record.ballots, record.pick) == ([1, 0, 0, 0, 0, 2, 0], 3, 6)
