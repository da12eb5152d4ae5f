"""Matches with secret sides: which side a vote counts for, deserted sides, and what is public when."""

import json
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import msgspec
import pytest
from django.test import Client

from tests.voting.action_helpers import press
from tests.voting.event_states import last_announced
from tests.voting.match_helpers import only_turn, organizer
from tests.voting.turns.secret_side_helpers import play_with, request_side_changes, start_secret
from tests.voting.verifiers import ours, standalone, theirs, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import RESIGN, encode_set
from voting.counting.side_changes import SidesTurn
from voting.models import Event, Match
from voting.records.exports import export_match
from voting.records.imports import import_event
from voting.records.match_record import read_match_record
from voting.records.match_roots import export_roots

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
    resolved = play_with(only_turn(match), box, [1, 1], [2, 2])
    public: Any = last_announced(match.event_id).match
    assert (resolved.red_pick, resolved.yellow_pick) == (None, None)
    assert public.sides.turns == (
        SidesTurn(red=2, yellow=3, to_red=0, to_yellow=0),
        SidesTurn(red=1, yellow=4, to_red=0, to_yellow=1),
        SidesTurn(red=0, yellow=5, to_red=0, to_yellow=1),
    )
    assert (public.sides.loyal, public.sides.in_time, public.sides.too_soon) == ((0, 3), 2, 0)
    record = assert_ended_and_verified(match, "yellow", "deserted", tmp_path)
    assert json.loads(client.get(f"/record/{match.event.code}/1.json").getvalue()) == record
    page = client.get(f"/report/{match.event.code}/1").content.decode()
    assert "Everyone had left Rooks by turn 3." in page
    assert "Changed in time: 2. Too soon: 0. Stayed: 60%." in page
    assert_import_round_trips(record, match)


@pytest.mark.parametrize(
    ("terms", "first", "second", "result", "ended_by"),
    [
        (
            {"tally_method": "approval", "resign": "two_thirds"},
            ([1, 1, 1], [7, 7 + RESIGN]),
            ([7 + RESIGN, 7 + RESIGN, 1], [encode_set([6, 7]), 7 + RESIGN]),
            *("red", "resign"),
        ),
        ({"resign": "half"}, ([1, 1], [7, 7]), ([1 + RESIGN] * 2, [7 + RESIGN] * 2), *("yellow", "deserted")),
    ],
    ids=["voters who changed sides count for resignation", "desertion takes precedence over resignation"],
)
def test_side_changes_and_resignations(
    terms: dict[str, Any],
    first: tuple[list[int], list[int]],
    second: tuple[list[int], list[int]],
    *,
    result: str,
    ended_by: str,
    box: BallotBox,
    tmp_path: Path,
) -> None:
    match = start_secret(box, **terms)
    play_with(only_turn(match), box, *first)
    request_side_changes(only_turn(match), box, "red1", "red2")
    play_with(only_turn(match), box, *second)
    record = assert_ended_and_verified(match, result, ended_by, tmp_path)
    assert_import_round_trips(record, match)


def test_side_changes_outlive_a_takeback_of_the_first_turn(box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    request_side_changes(only_turn(match), box, "red1")
    press(match.event_id, "turn.void", box)
    play_with(only_turn(match), box, [1, 1], [2, 2])
    request_side_changes(only_turn(match), box, "red2")
    play_with(only_turn(match), box, [1, 1], [2, 2])
    record = assert_ended_and_verified(match, "yellow", "deserted", tmp_path)
    assert [turn["to_yellow"] for turn in record["sides"]["summary"]["turns"]] == [1, 1]
    assert_import_round_trips(record, match)


@pytest.mark.parametrize("votes", [[1, 1], []], ids=["with votes", "without votes"])
def test_aborted_match_discloses_its_sides(votes: list[int], box: BallotBox, tmp_path: Path) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, votes, votes)
    request_side_changes(only_turn(match), box, *(["red1"] if votes else []))
    play_with(only_turn(match), box, votes, votes)
    press(match.event_id, "match.abort", box)
    match.refresh_from_db()
    record = assert_ended_and_verified(match, "open", None, tmp_path)
    assert len(record["sides"]["turns"]) == 2
    roots = json.loads(msgspec.json.encode(export_roots(match)))
    assert not list(standalone.compare_roots(record, roots))


def exported(match: Match) -> Any:
    found = export_match(match.event.code, match.number)
    assert found is not None
    return json.loads(msgspec.json.encode(found.record))


def assert_ended_and_verified(match: Match, result: str, ended_by: str | None, folder: Path) -> Any:
    """Check the result, and that both verifiers confirm the record; return the record."""
    record = exported(match)
    assert (record["result"], record["ended_by"]) == (result, ended_by)
    verify(record, folder)
    return record


def assert_import_round_trips(record: Any, match: Match) -> None:
    """An import on another server exports as the same record."""
    Event.objects.filter(pk=match.event_id).delete()
    again = import_event(read_match_record(msgspec.json.encode(record)), organizer(), 1_800_000_000_000)
    assert exported(again) == record


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("turns", 1, "side_changes"), []),
        (("turns", 1, "side_changes", 0, 1), "ab" * 16),
        (("summary", "turns", 1, "yellow"), 4),
        (("summary", "turns", 1, "to_yellow"), 0),
        (("turns", 0, "turn_commitment"), "00" * 32),
    ],
    ids=["removed", "other blind", "additional voter", "not counted", "other commitment"],
)
def test_verifiers_detect_altered_side_changes(
    path: tuple[Any, ...], value: object, box: BallotBox, tmp_path: Path
) -> None:
    match = start_secret(box)
    play_with(only_turn(match), box, [1], [2, 2])
    request_side_changes(only_turn(match), box, "red1")
    play_with(only_turn(match), box, [1], [2, 2])
    record = exported(match)
    *keys, last = path
    parent = reduce(getitem, keys, record["sides"])
    assert parent[last] != value
    parent[last] = value
    for verifier in (ours, theirs):
        code, text = verifier(record, tmp_path / "r.json")
        assert code == 1, text
