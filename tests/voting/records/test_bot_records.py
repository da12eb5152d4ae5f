"""The picks of computer opponents are recomputed from the record alone."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.bots.bots import VERSION
from tests.voting.match_helpers import only_turn, open_now, play_out, vote
from tests.voting.sample_matches import plain, record_of
from tests.voting.sources.test_casting import begin
from tests.voting.verifiers import verdicts
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match
from voting.positions import load_position
from voting.records.recount import find_faults, find_gaps
from voting.sources import bots
from voting.sources.casting import cast_due
from voting.terms import MatchState

pytestmark = pytest.mark.django_db
random = Random(5)


def play_match(box: BallotBox, source: str, turns: int, **choices: Any) -> Match:
    """Play at most so many turns against a bot, with a random column of the people."""
    turn = begin(box, ("phones", source), **choices)
    for _ in range(turns):
        open_now(turn, box)
        cast_due(box)
        position = load_position(turn.match)
        vote(turn, box, red=[random.choice(position.game.legal_actions(position.state, "red"))])
        play_out(turn, box)
        match = Match.objects.get(pk=turn.match_id)
        if match.state != MatchState.PLAYING:
            break
        turn = only_turn(match)
    return match


def test_both_verifiers_read_a_match_against_a_bot(box: BallotBox, tmp_path: Path) -> None:
    record = plain(play_match(box, "bot:3", 3))
    assert record["bots"] == {"version": VERSION, "yellow": 3}
    (code, text), (other_code, other) = verdicts(record, tmp_path)
    assert (code, other_code) == (0, 0)
    assert "computer" not in text
    assert "not checked: the picks of the computer, which this script cannot recompute" in other


def test_other_ballot_in_the_name_of_the_bot_is_found(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "pick_action", lambda *_: 7)
    record = record_of(play_match(box, "bot:4", 2))
    faults = [(fault.side, fault.text.rpartition(", but ")[2]) for fault in find_faults(record)]
    assert faults == [("yellow", "the ballots are [7]")] * 2


def test_missing_ballot_of_a_bot_and_picks_of_an_unknown_version_are_gaps(box: BallotBox) -> None:
    turn = begin(box, no_ballot_rule="random")
    play_out(turn, box)
    match = play_match(box, "bot:1", 1)
    Match.objects.filter(pk=match.pk).update(bots={"version": 99, "yellow": 5})
    for record, gap in (
        (record_of(turn.match), "why the computer did not vote in turn 1"),
        (record_of(match), "the picks of the computer, which are of version 99"),
    ):
        assert (find_faults(record), list(find_gaps(record))) == ([], [gap])


@pytest.mark.nightly
def test_thousand_turns_are_recomputed_from_records(box: BallotBox) -> None:
    turns = number = 0
    while turns < 1_000:
        number += 1
        record = record_of(play_match(box, f"bot:{1 + number % 4}", 100))
        assert find_faults(record) == []
        turns += len(record.turns)
