"""Matches whose ballot box has several shards: which ones have them, and turns that lose one."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from games.engine.game import SIDES
from tests.voting.box_helpers import cast
from tests.voting.match_helpers import (
    CLASSIC,
    COMMON_TERMS,
    SELECTOR,
    ballots,
    new_event,
    play_out,
    run_out,
    set_window,
    start_open,
    tally_of,
)
from tests.voting.sample_matches import plain, with_blinds
from tests.voting.verifiers import verify
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.ballot_box.sealed_lists import BATCH_BALLOTS
from voting.counting.ballots import Ballot
from voting.counting.commitments import sort_ballots
from voting.matches import create_match
from voting.models import Turn, TurnState
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMON_TERMS, "shards", 3)
    monkeypatch.setattr(settings, "MAX_SHARDS", 3)


@pytest.mark.parametrize(
    ("terms", "count"),
    [
        ({}, 3),
        ({"game": CLASSIC, "host_wait_s": 60, "peek": True}, 3),
        ({"bank_s": 60}, 1),
        ({"fixed_players": True}, 1),
        ({"max_side_changes": 1}, 1),
        ({"game": SELECTOR}, 1),
    ],
)
def test_matches_that_have_shards(terms: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert create_match(new_event(**terms), now=5).shards == count
    monkeypatch.setattr(settings, "MAX_SHARDS", 2)
    assert create_match(new_event(**terms), now=5).shards == min(count, 2), "the installation limits them"


def cast_crowd(turn: Turn) -> list[Ballot]:
    """Cast by phones of all shards; return the ballots."""
    crowd = with_blinds(ballots("red", [3] * 8 + [4] * 4) + ballots("yellow", [6] * 5 + [1] * 9))
    assert cast(to_boxed_turn(turn), *crowd) == [CastResult.OK] * len(crowd)
    assert len(to_boxed_turn(turn).split(crowd)) == 3
    return crowd


def test_turn_in_shards_has_the_roots_and_record_of_one_box(box: BallotBox, tmp_path: Path) -> None:
    """Also after a crash between the seals of two shards, and if it is extended then."""
    turn = start_open(box)
    crowd = cast_crowd(turn)
    run_out(turn, box)
    first, *_ = to_boxed_turn(load_turn(turn.pk)).parts
    box._seal(keys=first.keys, args=(*first.window, "", BATCH_BALLOTS))  # the process died after this seal
    set_window(turn, box, -2_000, 60_000)
    last = Ballot("latecomer", "red", 4, 1, blind="ab" * 16)
    answers = cast(to_boxed_turn(load_turn(turn.pk)), *crowd, last)
    assert answers == [CastResult.DUPLICATE] * len(crowd) + [CastResult.OK]
    after = play_out(turn, box)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 1)
    for side in SIDES:
        own = [ballot for ballot in (*crowd, last) if ballot.side == side]
        record = tally_of(turn, side)
        assert (record.ballots, record.root) == (len(own), sort_ballots(turn.pk, side, own).commitment.root)
    verify(plain(turn.match), tmp_path)
