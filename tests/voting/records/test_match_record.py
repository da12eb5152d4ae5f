"""Match records, recounted by `manage.py verify` and by the standalone verifier."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from tests.voting.altered_records import ALTERATIONS, ALTERED_WAYS, DISGUISES
from tests.voting.sample_matches import MATCHES, SECRET, Record
from tests.voting.verifiers import ours, standalone, theirs
from voting.counting.methods import Deciding

pytestmark = pytest.mark.django_db
ALTERED = {name: ("lots", *altered) for name, altered in ALTERATIONS.items()} | ALTERED_WAYS


@pytest.mark.parametrize("name", MATCHES)
def test_verifiers_confirm_every_match(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    record = records[name]
    for counted in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert counted[0] == 0, counted[1]
        assert "\nVALID" in counted[1]
    assert ours(record, tmp_path / "record.json") == theirs(record, tmp_path / "record.json")


def test_standalone_verifier_says_what_it_did_not_check(records: dict[str, Record], tmp_path: Path) -> None:
    """It never passes a game silently whose rules it does not know. Everything else is checked."""
    record = records["trails"] | {"game": "reversi"}
    code, text = theirs(record, tmp_path / "record.json")
    assert (code, "not checked: the rules of this game" in text) == (2, True)
    assert text.splitlines()[-1].startswith("PARTLY CHECKED: red won")
    record = copy.deepcopy(record)
    record["counts"][0]["red"]["pick"] = record["turns"][0]["red"] = 2
    code, text = theirs(record, tmp_path / "record.json")
    assert (code, text.splitlines()[0].startswith("turn 1, red")) == (1, True)
    text = theirs(records["first"], tmp_path / "record.json")[1]
    assert "not checked: the order of arrival, which decided a tie in turn 1" in text


@pytest.mark.parametrize("name", sorted({*MATCHES} - {"lottery"}))
def test_verifiers_confirm_records_of_version_2(
    name: str, records: dict[str, Record], tmp_path: Path
) -> None:
    record = as_version_2(records[name])
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 0, text


def test_verifiers_reject_unsorted_ballots(records: dict[str, Record], tmp_path: Path) -> None:
    """In version 2 the server chose the order of the ballots, and so which one a lottery draws."""
    record = as_version_2(records["lots"]) | {"format": "crowdgame match 3"}
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 1
        assert "not sorted by leaf hash" in text


def as_version_3(record: Record) -> Record:
    """The record as the previous version would have written it: it lists only void seals, without causes."""
    old = copy.deepcopy(record) | {"format": "crowdgame match 3"}
    for turn in (*old["counts"], *old.get("voided", ())):
        for seal in turn.get("seals", ()):
            seal.pop("epoch", None), seal.pop("void", None)
    for count in old["counts"]:
        *count["void_seals"], _ = count.pop("seals")
    return old


def as_version_2(record: Record) -> Record:
    """The record as an earlier version would have written it: in order of arrival, here any order."""
    old = as_version_3(record) | {"format": "crowdgame match 2"}
    for count in old["counts"]:
        for side, counted in ((side, count[side]) for side in ("red", "yellow") if count[side]):
            ballots = counted["ballots"]
            order = counted.pop("arrivals", None) or list(reversed(range(len(ballots))))
            counted["ballots"] = [ballots[index] for index in order]
            if counted.get("captain") is not None:
                counted["captain"] = order.index(counted["captain"])
            leaves = [f"{count['turn']}:{side}:{choice}:{blind}" for choice, blind in counted["ballots"]]
            counted["root"] = standalone.merkle_root(map(standalone.hash_leaf, leaves))
    return old


def test_sample_matches_cover_every_decision_and_ending(records: dict[str, Record]) -> None:
    ways, ends = set(), set()
    for record in records.values():
        sides = [count[side] for count in record["counts"] for side in ("red", "yellow")]
        ways |= {side["decided_by"] for side in sides if side}
        ends.add((record["result"], record["ended_by"]))
    assert ways == set(get_args(Deciding))
    resigned = {("yellow", "resign"), ("draw", "resign")}
    boards = {("red", "board"), ("yellow", "board"), ("draw", "agreed")}
    assert ends == {("red", "forfeit"), ("draw", "forfeit"), ("open", None)} | boards | resigned
    assert any(turn["red"] == turn["yellow"] is not None for turn in records["lots"]["turns"])


@pytest.mark.parametrize("name", ALTERED)
def test_verifiers_locate_every_alteration(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    match_name, alter, place = ALTERED[name]
    record = copy.deepcopy(records[match_name])
    alter(record)
    for code, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert code == 1, text
        assert any(line.startswith(place) for line in text.splitlines()), text


def _resolve_before_seal(record: Record) -> None:
    record["counts"][1]["resolved_at"] = record["counts"][1]["sealed_at"] - 1


def _repeat_id(record: Record) -> None:
    record["counts"][1]["turn"] = record["counts"][0]["turn"]


def _remove_voter(record: Record) -> None:
    record["sides"]["summary"]["turns"][0]["red"] = len(record["counts"][0]["red"]["ballots"]) - 1


@pytest.mark.parametrize(
    ("name", "alter", "fault"),
    [
        ("lots", _resolve_before_seal, r"turn 2: it was resolved before it was sealed"),
        ("lots", _repeat_id, r"turn 2: its id \d+ is not higher than the previous turn's"),
        (SECRET, _remove_voter, r"turn 1: red has (\d ballots, but only \d|more ballots than) voters"),
    ],
)
def test_verifiers_find_the_least_violation(
    name: str, alter: Callable[[Record], None], fault: str, all_records: dict[str, Record], tmp_path: Path
) -> None:
    record = copy.deepcopy(all_records[name])
    alter(record)
    for _, text in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert re.search(f"^{fault}$", text, re.MULTILINE), text


def test_plurality_record_omits_fields_of_other_methods(records: dict[str, Record]) -> None:
    """Fields of other tally methods are omitted if they are empty."""
    side = records["lots"]["counts"][0]["red"]
    assert list(side) == ["root", "ballots", "legal", "counts", "pick", "decided_by"]
    assert list(records["lots"]["terms"]) == ["tally_method", "tie_rule", "no_ballot_rule"]


@pytest.mark.parametrize("name", DISGUISES)
def test_verifiers_reject_lookalike_values_and_duplicate_keys(
    name: str, records: dict[str, Record], tmp_path: Path
) -> None:
    """Python accepts true and 1.0 as 1, and the last of duplicate keys; other parsers may not."""
    text, path = json.dumps(records["lots"]), tmp_path / "record.json"
    altered = re.sub(*DISGUISES[name], text, count=1).encode()
    assert altered != text.encode()
    for code, output in (ours(altered, path), theirs(altered, path)):
        assert code == 1, output


def test_record_does_not_link_ballots_of_a_voter(records: dict[str, Record]) -> None:
    counts = [count[side] for r in records.values() for count in r["counts"] for side in ("red", "yellow")]
    blinds = [blind for count in counts if count for _, blind in count["ballots"]]
    assert len(blinds) == len(set(blinds)) > 20
    assert "red1" not in json.dumps(records)
