"""Match records, recounted by `manage.py verify` and by the standalone verifier."""

import copy
import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from games.engine.game import SIDES
from tests.voting.altered_records import ALTERED, DISGUISES, WRONG_VALUES, put
from tests.voting.match_helpers import organizer
from tests.voting.sample_histories import HISTORIES, play_eventful_match
from tests.voting.sample_matches import EARLIER, MATCHES, Record, record_of
from tests.voting.verifiers import standalone, theirs, verdicts, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.methods import Deciding
from voting.models import Event
from voting.records.imports import import_event
from voting.records.match_roots import export_roots

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000


@pytest.mark.parametrize("name", [*MATCHES, *HISTORIES])
def test_verifiers_confirm_every_match(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    assert "\nVALID" in verify(records[name], tmp_path)
    if name in MATCHES.keys() - {"lottery"}:  # in version 2, the server chose the order of the ballots
        old = verdicts(as_version_2(records[EARLIER.get(name, name)]), tmp_path)
        assert [code for code, _ in old] == [0, 0], old


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


def test_verifiers_reject_unsorted_ballots(records: dict[str, Record], tmp_path: Path) -> None:
    """In version 2 the server chose the order of the ballots, and so which one a lottery draws."""
    record = as_version_2(records[EARLIER["lots"]]) | {"format": "crowdgame match 3"}
    for code, text in verdicts(record, tmp_path):
        assert (code, "not sorted by leaf hash" in text) == (1, True)


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
        for side, counted in ((side, count[side]) for side in SIDES if count[side]):
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
        sides = [count[side] for count in record["counts"] for side in SIDES]
        ways |= {side["decided_by"] for side in sides if side}
        ends.add((record["result"], record["ended_by"]))
    assert ways == set(get_args(Deciding))
    assert ends == {
        *(("red", "board"), ("yellow", "board"), ("draw", "agreed"), ("open", None)),
        *(("red", "forfeit"), ("draw", "forfeit"), ("yellow", "resign"), ("draw", "resign")),
        ("yellow", "deserted"),
    }
    assert any(turn["red"] == turn["yellow"] is not None for turn in records["lots"]["turns"])


@pytest.mark.parametrize("name", ALTERED)
def test_verifiers_locate_every_alteration(name: str, records: dict[str, Record], tmp_path: Path) -> None:
    match_name, alter, said = ALTERED[name]
    record = copy.deepcopy(records[match_name])
    alter(record)
    ours, theirs = verdicts(record, tmp_path)
    for code, text in (ours, theirs):
        assert code == 1, text
        assert re.search(f"^{said}", text, re.MULTILINE), text
    assert ours == theirs or match_name != "eventful", "the same text about a history"


@pytest.mark.parametrize(("name", "path", "value"), WRONG_VALUES)
def test_verifiers_reject_wrong_value(
    name: str, path: tuple[Any, ...], value: Any, records: dict[str, Record], tmp_path: Path
) -> None:
    record = copy.deepcopy(records[name])
    put(*path, to=value)(record)
    assert [code for code, _ in verdicts(record, tmp_path)] == [1, 1]


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
    text = json.dumps(records["lots"])
    altered = re.sub(*DISGUISES[name], text, count=1)
    assert altered != text
    assert [code for code, _ in verdicts(altered.encode(), tmp_path)] == [1, 1]


def test_record_does_not_link_ballots_of_a_voter(records: dict[str, Record]) -> None:
    counts = [count[side] for name in MATCHES for count in records[name]["counts"] for side in SIDES]
    blinds = [blind for count in counts if count for _, blind in count["ballots"]]
    assert len(blinds) == len(set(blinds)) > 20
    assert "red1" not in json.dumps(records)


# ------------------------------------------------------------------ an eventful match in the database
def test_verifier_compares_the_roots_that_phones_compare(box: BallotBox, tmp_path: Path) -> None:
    match = play_eventful_match(box)
    roots = json.loads(msgspec.json.encode(export_roots(match)))
    (tmp_path / "record.json").write_bytes(msgspec.json.encode(record_of(match)))

    def compare(published: Any) -> tuple[int, list[str]]:
        (tmp_path / "roots.json").write_text(json.dumps(published))
        with redirect_stdout(StringIO()) as output:
            code = standalone.main([str(tmp_path / name) for name in ("record.json", "roots.json")])
        return code, output.getvalue().splitlines()

    assert compare(roots)[0] == 0
    assert len(roots["turns"]) == 6
    for number, turn in enumerate(roots["turns"]):
        for part, value in (("lot", "0" * 64), ("seals", [{"at": 1}]), ("turn", 10**12)):
            altered = copy.deepcopy(roots)
            altered["turns"][number][part] = value
            code, lines = compare(altered)
            said = f"the roots: the seals of the turn with the id {turn['turn']} are not those of the record"
            assert (code, said in lines) == (1, True)
    for wrong in (*(roots | {"draw_lot": lot} for lot in ("0" * 64, None)), []):
        assert compare(wrong)[0] == 1
    for turns in (1, [1], [{"turn": 1, "lot": "", "seals": [1]}]):
        assert compare({"turns": turns})[0] == 1


def test_import_keeps_the_history(box: BallotBox) -> None:
    record = record_of(play_eventful_match(box))
    Event.objects.all().delete()
    assert record_of(import_event(record, organizer(), NOW)) == record
