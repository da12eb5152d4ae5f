"""Each seal is in the database before it is published, and isn't replaced by another one without a cause."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.engine.game import SIDES
from tests.deploy.processes import wait_until
from tests.voting.announcements.test_announcements import listening
from tests.voting.box_loss_helpers import copy_all, put_back
from tests.voting.match_helpers import (
    CLASSIC,
    SELECTOR,
    arrived_ballots,
    ballots,
    kinds,
    open_now,
    play_out,
    run_out,
    start,
    tally_of,
    vote,
)
from tests.voting.recovery_model import Crash, PublishedBox
from tests.voting.sample_matches import plain, with_blinds
from tests.voting.turns.conftest import DueTurn, crashing
from tests.voting.verifiers import verify
from voting import protocol
from voting.announcements.channel_layer import NOT_A_CHANGE, LayerMessage
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import EMPTY, Commitment, sort_ballots
from voting.matches import MatchError
from voting.models import TurnState
from voting.turns import closing
from voting.turns.closing import close_turn
from voting.turns.seals import read_seals
from voting.turns.time_steps import move_turn
from voting.turns.turns import change_turn, load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[protocol.TurnSealed]:
    """The seals that are published from now on."""
    seals: list[protocol.TurnSealed] = []
    monkeypatch.setattr(closing, "publish_seals", lambda by_event: seals.extend(by_event.values()))
    return seals


@pytest.mark.parametrize(("step", "times"), [("publish_seals", 1), ("write_outcomes", 2)])
def test_seal_is_published_before_the_result_and_unchanged_after_a_crash(
    step: str, times: int, box: BallotBox, valkey_url: str, tmp_path: Path
) -> None:
    turn = start(box)
    open_now(turn, box)
    box.cast(to_boxed_turn(turn), with_blinds(ballots("red", [3, 3, 1]) + ballots("yellow", [6])))
    run_out(turn, box)
    with listening(valkey_url, turn.match.event) as listener:
        with crashing(closing, step):
            close_turn(turn.pk, box)
        (recorded,) = read_seals(load_turn(turn.pk))
        assert load_turn(turn.pk).state == TurnState.OPEN
        for _ in range(2):
            close_turn(turn.pk, box)
        wait_until(lambda: len(listener.receive()) == times + 1)
        *seals, revealed = listener.receive()
    assert seals == [LayerMessage(turn.match.event_id, NOT_A_CHANGE, seals[0].body)] * times
    assert revealed.seq > NOT_A_CHANGE
    message = msgspec.json.decode(seals[0].body, type=protocol.TurnSealed)
    closed = load_turn(turn.pk)
    assert closed.state == TurnState.RESOLVED
    assert recorded.at == message.at == closed.sealed_at
    assert read_seals(closed) == (recorded,)
    for side in SIDES:
        arrived = arrived_ballots(turn, side)
        assert getattr(message, side) == sort_ballots(turn.pk, side, arrived, commit_order=True).commitment
        assert getattr(message, side).root == getattr(recorded, side) == tally_of(turn, side).root
    verify(plain(turn.match), tmp_path)


@pytest.mark.parametrize("game", [CLASSIC, SELECTOR])
def test_late_worker_publishes_no_seal_of_closed_turn(
    game: str, box: BallotBox, due: DueTurn, published: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a seal of the side that moves next, in which phones would not find their votes."""
    turn = due(red=[3], yellow=[5], game=game)
    slow = load_turn(turn.pk)
    close_turn(turn.pk, box)
    monkeypatch.setattr(closing, "_load_open_turns", lambda _: [slow])
    close_turn(turn.pk, box)
    assert [seal.turn for seal in published] == [turn.pk]


def test_side_not_to_move_has_no_commitment(box: BallotBox, due: DueTurn, published: list[Any]) -> None:
    close_turn(due(game=CLASSIC, options={"first": "yellow"}).pk, box)
    empty = Commitment(root=EMPTY.hex(), ballots=0, order=EMPTY.hex())
    assert [(seal.red, seal.yellow) for seal in published] == [(None, empty)]


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


def test_sealed_turn_changes_only_by_added_time(box: BallotBox, due: DueTurn) -> None:
    """Otherwise phones would see another seal without a new window."""
    turn = due(red=[3])
    loaded = load_turn(turn.pk)

    def change() -> None:
        with pytest.raises(MatchError, match="changed in the meantime"):
            change_turn(loaded, protocol.TurnMoved, box, closes_at=box.now() + 60_000)
        sealed = load_turn(turn.pk)
        with pytest.raises(MatchError, match="Time is up"):
            change_turn(sealed, protocol.TurnMoved, box, closes_at=sealed.closes_at - 1)
        move_turn(turn.pk, sealed.version, -3_600_000, box.now(), box)
        assert load_turn(turn.pk).version == sealed.version

    slow = PublishedBox(change)
    close_turn(turn.pk, slow)
    slow.close()
    assert load_turn(turn.pk).state == TurnState.RESOLVED
