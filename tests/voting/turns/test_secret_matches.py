"""Matches with secret sides: which side a vote counts for, deserted sides, and what is public when."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from tests.voting.action_helpers import press, refused
from tests.voting.event_states import last_announced
from tests.voting.match_helpers import only_turn, open_now, organizer, play_out, start
from tests.voting.sample_matches import plain
from tests.voting.turns.secret_side_helpers import (
    between,
    play_with,
    request_side_changes,
    side_change_request,
    start_secret,
)
from tests.voting.verifiers import ours, standalone, theirs, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import RESIGN, encode_set
from voting.counting.side_changes import SidesTurn
from voting.models import Event, Match, StoredSideChange, Turn
from voting.records.imports import import_event
from voting.records.match_record import read_match_record
from voting.records.match_roots import export_roots
from voting.turns.side_change_store import change_sides
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def test_deserted_side_loses_and_changes_are_published(
    box: BallotBox, tmp_path: Path, client: Client
) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1, 1], [2, 2, 2])
    request_side_changes(only_turn(match), box, "red1")
    play_with(only_turn(match), box, [1, 1], [2, 2, 2])
    request_side_changes(only_turn(match), box, "red2")
    assert client.get(f"/record/{match.event.code}/1.json").status_code == 403
    public: Any = last_announced(match.event_id).match
    assert (public.reveal.seed, public.sides) == (None, None), "the seed would reveal a drawn pick"
    resolved = play_with(only_turn(match), box, [1, 1], [2, 2])
    public = last_announced(match.event_id).match
    assert (resolved.red_pick, resolved.yellow_pick) == (None, None)
    assert public.sides.turns == (
        SidesTurn(red=2, yellow=3, to_red=0, to_yellow=0),
        SidesTurn(red=1, yellow=4, to_red=0, to_yellow=1),
        SidesTurn(red=0, yellow=5, to_red=0, to_yellow=1),
    )
    assert (public.sides.loyal, public.sides.in_time, public.sides.too_soon) == ((0, 3), 2, 0)
    with refused("Sides have been revealed"):
        press(match.event_id, "turn.void", box)
    record = verified_record(match, "yellow", "deserted", tmp_path)
    assert json.loads(client.get(f"/record/{match.event.code}/1.json").getvalue()) == record
    page = client.get(f"/report/{match.event.code}/1").content.decode()
    assert "Everyone had left Rooks by turn 3." in page
    assert "Changed in time: 2. Too soon: 0. Stayed: 60%." in page
    Event.objects.filter(pk=match.event_id).delete()
    again = import_event(read_match_record(msgspec.json.encode(record)), organizer(), 1_800_000_000_000)
    assert plain(again) == record


def test_voters_who_changed_sides_count_for_resignation(box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box, tally_method="approval", resign="two_thirds")
    play_with(only_turn(match), box, [1, 1, 1], [7, 7 + RESIGN])
    request_side_changes(only_turn(match), box, "red1", "red2")
    play_with(only_turn(match), box, [7 + RESIGN, 7 + RESIGN, 1], [encode_set([6, 7]), 7 + RESIGN])
    verified_record(match, "red", "resign", tmp_path)
    match = start_secret(box, resign="half")
    play_with(only_turn(match), box, [1, 1], [7, 7])
    request_side_changes(only_turn(match), box, "red1", "red2")
    play_with(only_turn(match), box, [1 + RESIGN] * 2, [7 + RESIGN] * 2)
    verified_record(match, "yellow", "deserted", tmp_path)  # this takes precedence


def test_side_changes_outlive_a_takeback_of_the_first_turn(box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    request_side_changes(only_turn(match), box, "red1")
    press(match.event_id, "turn.void", box)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    request_side_changes(only_turn(match), box, "red2")
    play_with(only_turn(match), box, [1, 1], [2, 2])
    record = verified_record(match, "yellow", "deserted", tmp_path)
    assert [turn["to_yellow"] for turn in record["sides"]["summary"]["turns"]] == [1, 1]


@pytest.mark.parametrize("votes", [[1, 1], []], ids=["with votes", "without votes"])
def test_aborted_match_discloses_its_sides(votes: list[int], box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, votes, votes)
    request_side_changes(only_turn(match), box, *(["red1"] if votes else []))
    play_with(only_turn(match), box, votes, votes)
    press(match.event_id, "match.abort", box)
    match.refresh_from_db()
    record = verified_record(match, "open", None, tmp_path)
    assert len(record["sides"]["turns"]) == 2
    roots = json.loads(msgspec.json.encode(export_roots(match)))
    assert not list(standalone.compare_roots(record, roots))


def verified_record(match: Match, result: str, ended_by: str | None, folder: Path) -> Any:
    """The record of the match, which both verifiers confirm and which has this result."""
    record = plain(match)
    assert (record["result"], record["ended_by"]) == (result, ended_by)
    verify(record, folder)
    return record


def test_verifiers_detect_altered_side_changes(box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1], [2, 2])
    request_side_changes(only_turn(match), box, "red1")
    play_with(only_turn(match), box, [1], [2, 2])
    for what, (*keys, last), value in (
        ("removed", ("turns", 1, "side_changes"), []),
        ("other blind", ("turns", 1, "side_changes", 0, 1), "ab" * 16),
        ("additional voter", ("summary", "turns", 1, "yellow"), 4),
        ("not counted", ("summary", "turns", 1, "to_yellow"), 0),
        ("other commitment", ("turns", 0, "turn_commitment"), "00" * 32),
    ):
        record = plain(match)
        parent = reduce(getitem, keys, record["sides"])
        assert parent[last] != value
        parent[last] = value
        assert [verifier(record, tmp_path / "r.json")[0] for verifier in (ours, theirs)] == [1, 1], what


def second_turn(box: BallotBox, **choices: int) -> Turn:
    match = start_secret(box, **choices)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    return only_turn(match)


def test_side_change_is_accepted_only_between_turns_with_secret_sides(box: BallotBox) -> None:
    first = only_turn(start_secret(box))
    assert request_side_changes(first, box, "red1") == ["window_open"]
    turn = second_turn(box)
    ask = [side_change_request("red1", turn)]
    open_now(turn, box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    between(load_turn(turn.pk), box)
    press(turn.match.event_id, "turn.pause", box)
    assert change_sides(turn.match.event_id, ask, box.now) == ["window_open"]
    public = start(box)
    play_out(public, box)
    assert request_side_changes(only_turn(public.match), box, "red1") == ["not_offered"]
    assert StoredSideChange.objects.count() == 0


def test_side_changes_count_once_within_their_limit(box: BallotBox) -> None:
    turn = second_turn(box)
    assert request_side_changes(turn, box, "red1", "red1") == ["changed", "changed"]
    assert request_side_changes(turn, box, "red1", number=2) == ["used_up"]
    assert StoredSideChange.objects.count() == 1
    turn = second_turn(box, max_side_changes=2)
    for number in (1, 2):
        assert request_side_changes(turn, box, "red1", number=number) == ["changed"]
    assert request_side_changes(turn, box, "yellow1", number=2) == ["used_up"]
    resolved = play_with(turn, box, [5], [6])
    assert (resolved.red_pick, resolved.yellow_pick) == (5, 6), "the second one returned the voter"
