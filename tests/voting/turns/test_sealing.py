"""A turn is sealed at its deadline and not before, whichever process asks and whatever its clock says."""

import pytest

from games.models import TurnState
from tests.voting.match_helpers import CLASSIC, SELECTOR, open_now, run_out, set_window, start, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, Sealed, TooEarly
from voting.models import Announcement
from voting.protocol import TurnSealed, decode_change
from voting.turns import closing
from voting.turns.closing import MAX_EARLY_WAIT_MS, close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_close_turn_waits_for_near_deadline(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    set_window(turn, box, -1_000, MAX_EARLY_WAIT_MS - 50)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.state == TurnState.RESOLVED
    assert after.sealed_at is not None
    assert after.sealed_at >= after.closes_at


def test_close_turn_stops_if_deadline_moves_away(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)  # moving the window takes a moment

    class MovedMeanwhile(BallotBox):
        def seal(self, turn: BoxedTurn) -> TooEarly | BoxLost | Sealed:
            asked.append(turn.turn_id)
            if len(asked) > 1:
                return super().seal(turn)
            set_window(load_turn(turn.turn_id), box, -1_000, 60_000)
            return TooEarly(self.now() + 50)

    asked: list[int] = []
    turn = start(box)
    run_out(turn, box)
    moved = MovedMeanwhile()
    close_turn(turn.pk, moved)
    moved.close()
    assert asked == [turn.pk, turn.pk]
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_close_turn_announces_time_of_first_seal(box: BallotBox) -> None:
    """A worker died between the seal and the transaction; another closes later."""
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    first = box.seal(to_boxed_turn(turn))
    assert isinstance(first, Sealed)
    while box.now() == first.sealed_at:
        pass
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.closes_at <= first.sealed_at < (after.resolved_at or 0)
    assert after.sealed_at == first.sealed_at
    announcement = Announcement.objects.filter(event_id=turn.match.event_id).latest("seq")
    state = decode_change(bytes(announcement.body)).state
    assert state.match is not None
    assert state.match.reveal is not None
    assert state.match.reveal.sealed_at == first.sealed_at


@pytest.mark.parametrize("game", [CLASSIC, SELECTOR])
def test_late_worker_publishes_same_seal_again(
    game: str, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a seal of the side that moves next, in which phones would not find their votes."""
    published: list[TurnSealed] = []
    monkeypatch.setattr(closing, "publish_now", lambda _, seal: published.append(seal))
    turn = start(box, game=game)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[5])
    run_out(turn, box)
    slow = load_turn(turn.pk)
    close_turn(turn.pk, box)
    monkeypatch.setattr(closing, "load_turn", lambda _: slow)
    close_turn(turn.pk, box)
    assert (len(published), published) == (2, published[:1] * 2)


class SlowClockBox(BallotBox):
    """Like a cluster in which different nodes answer `now` and seal."""

    def now(self) -> int:
        return super().now() - 60_000


def test_turn_is_never_resolved_before_it_is_sealed(box: BallotBox) -> None:
    turn = start(box)
    run_out(turn, box)
    behind = SlowClockBox()
    close_turn(turn.pk, behind)
    behind.close()
    after = load_turn(turn.pk)
    assert after.sealed_at is not None
    assert after.resolved_at == after.sealed_at


def test_moved_window_is_sealed_at_new_deadline(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voting.turns.closing.MAX_EARLY_WAIT_MS", 5_000)
    turn = start(box)
    run_out(turn, box)
    first = box.seal(to_boxed_turn(turn))
    assert isinstance(first, Sealed)
    set_window(turn, box, -1_000, MAX_EARLY_WAIT_MS - 50)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert (after.sealed_at or 0) >= after.closes_at > first.sealed_at
