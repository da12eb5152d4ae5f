"""Lost ballot boxes are never tallied as empty, and stored ballots are restored."""

import pytest

from games.models import TurnState
from tests.voting.box_loss_helpers import empty
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    ballots,
    kinds,
    open_now,
    play_out,
    run_out,
    start,
    store,
    tally_of,
    vote,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import Sealed
from voting.counting.ballots import Ballot
from voting.counting.window import MIN_RESTORED_MS
from voting.models import TallyRecord
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, restore_turn, to_boxed_turn

pytestmark = pytest.mark.django_db
LONG_S = 601


def test_lost_box_is_never_tallied_as_empty(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    run_out(turn, box)
    empty()
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert restored.closes_at - box.now() > MIN_RESTORED_MS / 2
    assert not TallyRecord.objects.exists()
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    vote(restored, box, red=[3, 3], yellow=[5])
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)
    assert tally_of(turn, "red").ballots == 2


def test_restore_turn_does_nothing_if_box_exists(box: BallotBox) -> None:
    turn = start(box)
    restore_turn(turn.pk, box)
    assert load_turn(turn.pk).epoch == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_restores_restore_once(box: BallotBox) -> None:
    turn = start(box)
    empty()
    at_once(4, lambda own: restore_turn(turn.pk, own))
    assert load_turn(turn.pk).epoch == 2
    assert kinds(turn.match.event_id).count("turn.restored") == 1


def test_restore_turn_puts_back_stored_ballots(box: BallotBox) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    vote(turn, box, red=[4, 4, 1])
    store(turn, ballots("red", [4, 4, 1]))
    empty()
    restore_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    vote(restored, box, yellow=[2])
    run_out(restored, box)
    sealed = box.seal(to_boxed_turn(restored))
    assert isinstance(sealed, Sealed)
    assert [b.voter for b in sealed.ballots] == ["red1", "red2", "red3", "yellow1"]


def test_stored_ballot_missing_from_box_counts(box: BallotBox) -> None:
    """The box was restored from an older copy: stored ballots still count, once each."""
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    vote(turn, box, red=[1, 1])
    store(turn, [*ballots("red", [6], sequence=2), Ballot("red9", "red", 6, 1)])
    play_out(turn, box)
    record = tally_of(turn, "red")
    assert (record.counts, record.ballots, record.pick) == ([1, 0, 0, 0, 0, 2, 0], 3, 6)
