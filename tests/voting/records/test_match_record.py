"""A match's record: counted again by the project and by the script that shares nothing with it."""

import copy
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from tests.voting.altered_records import ALTERATIONS, ALTERED_WAYS, DISGUISES
from tests.voting.recording import MATCHES, Record
from tests.voting.verifying import ours, records, theirs
from voting.counting.types import Deciding

__all__ = ["records"]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_counted_again_by_both(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    record = records[name]
    for counted in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert counted[0] == 0, counted[1]
        assert "RIGHT" in counted[1]
    assert ours(record, tmp_path / "record.json") == theirs(record, tmp_path / "record.json")


def test_the_matches_show_every_way_to_decide_and_to_end(records: dict[str, Record]) -> None:
    ways, ends = set(), set()
    for record in records.values():
        sides = [count[side] for count in record["counts"] for side in ("red", "yellow")]
        ways |= {side["decided_by"] for side in sides if side}
        ends.add((record["result"], record["ended_by"]))
    assert ways == set(get_args(Deciding))
    resigned = {("yellow", "resign"), ("draw", "resign")}
    assert ends == {("red", "board"), ("red", "forfeit"), ("draw", "forfeit"), ("open", None)} | resigned
    assert any(turn["red"] == turn["yellow"] is not None for turn in records["lots"]["turns"])


@pytest.mark.parametrize("name", ALTERATIONS)
def test_whatever_is_altered_both_say_where(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    record, (alter, place) = copy.deepcopy(records["lots"]), ALTERATIONS[name]
    alter(record)
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 1, text
        assert any(line.startswith(place) for line in text.splitlines()), text


@pytest.mark.parametrize("name", ALTERED_WAYS)
def test_so_it_is_with_every_way_to_count(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    of, alter, place = ALTERED_WAYS[name]
    record = copy.deepcopy(records[of])
    alter(record)
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 1, text
        assert any(line.startswith(place) for line in text.splitlines()), text


def test_a_match_by_most_votes_is_told_as_it_always_was(records: dict[str, Record]) -> None:
    """What other ways need is left out where it says nothing."""
    side = records["lots"]["counts"][0]["red"]
    assert list(side) == ["root", "ballots", "legal", "counts", "pick", "decided_by"]
    assert list(records["lots"]["terms"]) == ["tally_method", "tie_rule", "no_ballot_rule"]


@pytest.mark.parametrize("name", DISGUISES)
def test_what_only_looks_like_a_record_is_none_to_both(
    name: str, records: dict[str, Record], tmp_path: Path
) -> None:
    """Python takes true and 1.0 for 1, and of a key told twice the last; others may not."""
    text, path = json.dumps(records["lots"]), tmp_path / "record.json"
    altered = re.sub(*DISGUISES[name], text, count=1).encode()
    assert altered != text.encode()
    for code, said in (ours(altered, path), theirs(altered, path)):
        assert code == 1, said


def test_nothing_tells_which_ballots_are_of_the_same_voter(records: dict[str, Record]) -> None:
    blinds = [
        blind
        for record in records.values()
        for count in record["counts"]
        for side in ("red", "yellow")
        if count[side]
        for _, blind in count[side]["ballots"]
    ]
    assert len(blinds) == len(set(blinds)) > 20
    assert "red1" not in json.dumps(records)
