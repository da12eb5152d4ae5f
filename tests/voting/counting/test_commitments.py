"""The commitment to a turn's ballots that is published between seal and reveal."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given

from deploy.laptop.network import LOOPBACK, free_port
from games.engine.game import SIDES
from games.models import TurnState
from tests.deploy.processes import wait_until
from tests.voting.announcements.test_announcements import listening
from tests.voting.ballot_strategies import sealed_ballots
from tests.voting.match_helpers import CLASSIC, ballots, open_now, run_out, start
from tests.voting.sample_matches import with_blinds
from voting.announcements.channel_layer import NOT_A_CHANGE
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot, unpack_ballots
from voting.counting.commitments import Commitment, ballot_leaf, commit_ballots
from voting.models import TallyRecord
from voting.protocol import TurnSealed
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_ballot_leaf_matches_documented_format() -> None:
    """`printf '\\0%s' 12:red:4:… | sha256sum` is the root of one ballot."""
    assert ballot_leaf(12, "red", 4, "ab" * 16) == b"12:red:4:" + b"ab" * 16
    one = commit_ballots(12, "red", [Ballot("v", "red", 4, 3, 9, "ab" * 16)])
    assert one == Commitment(root=sha256(b"\x0012:red:4:" + b"ab" * 16).hexdigest(), ballots=1)
    assert commit_ballots(12, "red", []) == Commitment(root=EMPTY, ballots=0)


@given(sealed_ballots(min_size=1))
def test_root_covers_turn_side_choice_order_but_not_voter(cast: tuple[Ballot, ...]) -> None:
    root = commit_ballots(1, "red", cast).root
    assert commit_ballots(1, "red", [msgspec.structs.replace(b, voter="") for b in cast]).root == root
    assert commit_ballots(2, "red", cast).root != root
    assert commit_ballots(1, "yellow", cast).root != root
    first = msgspec.structs.replace(cast[0], choice=cast[0].choice + 1)
    assert commit_ballots(1, "red", [first, *cast[1:]]).root != root


class DiesAfterPublishing(BallotBox):
    """A process that dies between publishing its commitment and its transaction."""

    def now(self) -> int:
        raise InterruptedError


@pytest.mark.django_db
def test_seal_is_published_before_transaction_and_repeated_unchanged(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    box.cast(to_boxed_turn(turn), with_blinds(ballots("red", [3, 3, 1]) + ballots("yellow", [6])))
    run_out(turn, box)
    with listening(valkey_url, turn.match.event) as listener:
        dying = DiesAfterPublishing()
        with pytest.raises(InterruptedError):
            close_turn(turn.pk, dying)
        dying.close()
        wait_until(lambda: listener.receive_all() and len(listener.received) == 1)
        assert load_turn(turn.pk).state == TurnState.OPEN
        assert not TallyRecord.objects.exists()
        close_turn(turn.pk, box)
        wait_until(lambda: listener.receive_all() and len(listener.received) == 3)
    (_, seq, first), (_, seq_again, again), (_, revealed, _) = listener.received
    assert seq == seq_again == NOT_A_CHANGE < revealed
    assert first == again
    message = msgspec.json.decode(first, type=TurnSealed)
    for side in SIDES:
        record = TallyRecord.objects.get(turn=turn, side=side)
        held = unpack_ballots(bytes(record.sealed))
        assert getattr(message, side) == commit_ballots(turn.pk, side, held)
        assert getattr(message, side).root == record.root
    assert message.at == load_turn(turn.pk).sealed_at


@pytest.mark.django_db
def test_side_not_to_move_has_no_commitment(box: BallotBox, valkey_url: str) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    run_out(turn, box)
    with listening(valkey_url, turn.match.event) as listener:
        close_turn(turn.pk, box)
        wait_until(lambda: listener.receive_all() and len(listener.received) == 2)
    message = msgspec.json.decode(listener.received[0][2], type=TurnSealed)
    assert (message.red, message.yellow) == (None, Commitment(root=EMPTY, ballots=0))


@pytest.mark.django_db
def test_turn_closes_without_publishing_seal_if_channel_layer_is_down(
    box: BallotBox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    turn = start(box)
    run_out(turn, box)
    unreachable = {"address": f"redis://{LOOPBACK}:{free_port()}/0"}
    settings.CHANNEL_LAYERS = {
        "default": settings.CHANNEL_LAYERS["default"] | {"CONFIG": {"hosts": [unreachable]}}
    }
    close_turn(turn.pk, box)
    assert "could not publish a seal" in caplog.text
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert TallyRecord.objects.get(turn=turn, side="red").root == EMPTY


@pytest.mark.django_db
def test_root_includes_ballots_stored_only_in_database(box: BallotBox) -> None:
    """In the order they were stored, not by voter."""
    turn = start(box, window_s=601)
    open_now(turn, box)
    for at, voter in enumerate(("zz", "aa", "mm")):
        store_ballots(turn.pk, [Ballot(voter, "red", 2 + at, 1, 0, f"{at:032x}")], at)
    run_out(turn, box)
    close_turn(turn.pk, box)
    held = unpack_ballots(bytes(TallyRecord.objects.get(turn=turn, side="red").sealed))
    assert [ballot.voter for ballot in held] == ["zz", "aa", "mm"]
