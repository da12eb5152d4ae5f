"""Each seal is in the database before it is published, and isn't replaced by another one without a cause."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.voting.box_loss_helpers import copy_all, put_back
from tests.voting.match_helpers import kinds, open_now, play_out, run_out, start, tally_of, vote
from tests.voting.recovery_model import Crash, PublishedBox
from tests.voting.sample_matches import plain
from tests.voting.turns.conftest import DueTurn
from tests.voting.verifiers import verify
from voting import protocol
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import TurnState
from voting.turns import closing
from voting.turns.closing import close_turn
from voting.turns.seals import read_seals
from voting.turns.time_steps import move_turn
from voting.turns.turns import change_turn, load_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[protocol.TurnSealed]:
    """The seals that are published from now on."""
    seals: list[protocol.TurnSealed] = []
    monkeypatch.setattr(closing, "publish_seals", lambda by_event: seals.extend(by_event.values()))
    return seals


def test_seal_recorded_before_a_crash_is_published_unchanged(
    box: BallotBox,
    due: DueTurn,
    *,
    published: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    turn = due(red=[3, 3], yellow=[5])

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(closing, "publish_seals", crash)
        with pytest.raises(Crash):
            close_turn(turn.pk, box)
    (recorded,) = read_seals(load_turn(turn.pk))
    for _ in range(2):
        close_turn(turn.pk, box)
    assert [(seal.at, seal.red.root) for seal in published] == [(recorded.at, recorded.red)]
    closed = load_turn(turn.pk)
    assert (closed.state, closed.sealed_at) == (TurnState.RESOLVED, recorded.at)
    assert read_seals(closed) == (recorded,)
    verify(plain(turn.match), tmp_path)


@pytest.mark.parametrize("is_published", [True, False])
def test_ballots_lost_since_the_seal_begin_a_new_epoch(
    is_published: bool, box: BallotBox, published: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Valkey comes back without its last second. The turn isn't sealed again as if nothing had happened."""
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    older = copy_all()
    vote(turn, box, red=[3, 4], yellow=[5])
    run_out(turn, box)

    def lose_and_crash(seals: Mapping[int, protocol.TurnSealed]) -> None:
        published.extend([*seals.values()] * is_published)
        put_back(older)
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(closing, "publish_seals", lose_and_crash)
        with pytest.raises(Crash):
            close_turn(turn.pk, box)
    close_turn(turn.pk, box)
    assert (load_turn(turn.pk).state, load_turn(turn.pk).epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id).count("turn.restored") == 1
    vote(load_turn(turn.pk), box, red=[3, 4], yellow=[5])
    play_out(turn, box)
    assert tally_of(turn, "red").ballots == 2
    first, last = read_seals(load_turn(turn.pk))
    assert [(seal.at, seal.epoch) for seal in published] == [(first.at, 1)] * is_published + [(last.at, 2)]
    assert (first.void and first.void.reason, last.void) == ("box_lost", None)
    verify(plain(turn.match), tmp_path)


def test_change_of_turn_that_was_sealed_meanwhile_is_refused(box: BallotBox, due: DueTurn) -> None:
    turn = due(red=[3])
    loaded = load_turn(turn.pk)

    def extend() -> None:
        with pytest.raises(MatchError, match="changed in the meantime"):
            change_turn(loaded, protocol.TurnMoved, box, closes_at=box.now() + 60_000)

    slow = PublishedBox(extend)
    close_turn(turn.pk, slow)
    slow.close()
    assert load_turn(turn.pk).state == TurnState.RESOLVED


def test_sealed_turn_changes_only_by_added_time(box: BallotBox, due: DueTurn) -> None:
    """Otherwise phones would see another seal without a new window."""
    turn = due(red=[3])

    def change() -> None:
        sealed = load_turn(turn.pk)
        with pytest.raises(MatchError, match="Time is up"):
            change_turn(sealed, protocol.TurnMoved, box, closes_at=sealed.closes_at - 1)
        move_turn(turn.pk, sealed.version, -3_600_000, box.now(), box)
        assert load_turn(turn.pk).version == sealed.version

    slow = PublishedBox(change)
    close_turn(turn.pk, slow)
    slow.close()
    assert load_turn(turn.pk).state == TurnState.RESOLVED
