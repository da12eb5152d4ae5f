"""Secret sides in a match: for whom a vote counts, who has been left, and what is told when."""

import json
from pathlib import Path

import pytest
from django.test import Client

from tests.voting.playing import only_turn, tally_of
from tests.voting.sides.playing_sides import defect, play_with, start_secret
from tests.voting.states import shown, told_last
from tests.voting.verifying import ours, theirs
from voting.box.ballot_box import BallotBox
from voting.protocol import SidesTurn

pytestmark = pytest.mark.django_db


def test_a_vote_counts_for_the_side_its_voter_has_gone_to(box: BallotBox) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1, 1, 1], [7, 7])
    turn = only_turn(match)
    assert defect(turn, box, "red1", "red2") == ["changed"] * 2
    resolved = play_with(turn, box, [6, 6, 1], [7, 7])
    assert [resolved.red_pick, resolved.yellow_pick] == [1, 6]
    assert tally_of(resolved, "red").ballots == 1
    assert tally_of(resolved, "yellow").counts == [0, 0, 0, 0, 0, 2, 2]


def test_a_side_that_everybody_left_has_lost_and_the_story_is_told(
    box: BallotBox, tmp_path: Path, client: Client
) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1, 1], [2, 2, 2])
    defect(only_turn(match), box, "red1")
    assert shown(match.event_id).match is not None
    play_with(only_turn(match), box, [1, 1], [2, 2, 2])
    defect(only_turn(match), box, "red2")
    assert client.get(f"/record/{match.event.code}/1.json").status_code == 403
    resolved = play_with(only_turn(match), box, [1, 1], [2, 2])
    told = told_last(match.event_id).match
    assert told is not None
    assert told.sides is not None
    assert [told.result, told.ended_by, resolved.red_pick, resolved.yellow_pick] == [
        "yellow",
        "deserted",
        None,
        None,
    ]
    assert told.sides.turns == (
        SidesTurn(red=2, yellow=3, to_red=0, to_yellow=0),
        SidesTurn(red=1, yellow=4, to_red=0, to_yellow=1),
        SidesTurn(red=0, yellow=5, to_red=0, to_yellow=1),
    )
    assert (told.sides.loyal, told.sides.in_time, told.sides.too_soon) == ((0, 3), 2, 0)
    record = json.loads(client.get(f"/record/{match.event.code}/1.json").content)
    for code, text in (ours(record, tmp_path / "r.json"), theirs(record, tmp_path / "r.json")):
        assert code == 0, text
