"""What match records contain, how their draws follow, and what verifiers don't check."""

import json
from contextlib import redirect_stdout
from copy import deepcopy
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from games.engine.game import SIDES, Side
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out
from tests.voting.sample_histories import play_eventful_match
from tests.voting.sample_matches import MATCHES, Record, plain, record_of, with_blinds
from tests.voting.verifiers import standalone, theirs, verdicts
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import FROM_ROOTS, FROM_SEED, draws_version, mix_seed
from voting.counting.methods import Deciding
from voting.models import Turn
from voting.records.match_roots import export_roots
from voting.turns.closing import close_turn
from voting.turns.turns import start_match, to_boxed_turn

pytestmark = pytest.mark.django_db


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


def test_plurality_record_omits_fields_of_other_methods(records: dict[str, Record]) -> None:
    """Fields of other tally methods are omitted if they are empty."""
    side = records["lots"]["counts"][0]["red"]
    assert list(side) == ["root", "ballots", "legal", "counts", "pick", "decided_by"]
    assert list(records["lots"]["terms"]) == ["tally_method", "tie_rule", "no_ballot_rule"]


def test_record_does_not_link_ballots_of_a_voter(records: dict[str, Record]) -> None:
    counts = [count[side] for name in MATCHES for count in records[name]["counts"] for side in SIDES]
    blinds = [blind for count in counts if count for _, blind in count["ballots"]]
    assert len(blinds) == len(set(blinds)) > 20
    assert "red1" not in json.dumps(records)


def test_standalone_verifier_says_what_it_did_not_check(records: dict[str, Record], tmp_path: Path) -> None:
    """It never passes a game silently whose rules it does not know. Everything else is checked."""
    record = records["trails"] | {"game": "reversi"}
    code, text = theirs(record, tmp_path / "record.json")
    assert (code, "not checked: the rules of this game" in text) == (2, True)
    assert text.splitlines()[-1].startswith("PARTLY CHECKED: red won")
    record = deepcopy(record)
    record["counts"][0]["red"]["pick"] = record["turns"][0]["red"] = 2
    code, text = theirs(record, tmp_path / "record.json")
    assert (code, text.splitlines()[0].startswith("turn 1, red")) == (1, True)
    text = theirs(records["first"], tmp_path / "record.json")[1]
    assert "not checked: the order of arrival, which decided a tie in turn 1" in text


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
            altered = deepcopy(roots)
            altered["turns"][number][part] = value
            code, lines = compare(altered)
            said = f"the roots: the seals of the turn with the id {turn['turn']} are not those of the record"
            assert (code, said in lines) == (1, True)
    for wrong in (*(roots | {"draw_lot": lot} for lot in ("0" * 64, None)), []):
        assert compare(wrong)[0] == 1
    for turns in (1, [1], [{"turn": 1, "lot": "", "seals": [1]}]):
        assert compare({"turns": turns})[0] == 1


# ------------------------------------------------------------------ draws
SEED, RED, YELLOW = "00112233445566778899aabbccddeeff", "a" * 64, "b" * 64


@pytest.mark.parametrize(
    ("roots", "text"),
    [
        ({"red": RED, "yellow": YELLOW}, f"{SEED}:{RED}:{YELLOW}"),
        ({"yellow": YELLOW}, f"{SEED}::{YELLOW}"),
        ({"red": RED}, f"{SEED}:{RED}:"),
    ],
)
def test_mix_seed_matches_documented_format(roots: dict[Side, str], text: str) -> None:
    assert mix_seed(SEED, FROM_ROOTS, roots) == sha256(text.encode()).hexdigest()
    assert mix_seed(SEED, FROM_SEED, roots) == SEED


@pytest.mark.parametrize(
    ("draws", "version", "prefix"), [(FROM_ROOTS, 5, "crowdgame lot 2"), (FROM_SEED, 4, "crowdgame lot")]
)
def test_turn_draws_from_seed_and_roots_or_in_earlier_versions_from_seed_alone(
    draws: int, version: int, prefix: str, box: BallotBox, tmp_path: Path
) -> None:
    match = start_match(new_event(tally_method="lottery").pk, box)
    turn = only_turn(match)
    Turn.objects.update(draws_version=draws)
    open_now(turn, box)
    box.cast(to_boxed_turn(turn), with_blinds(ballots("red", [1, 2, 3, 5, 7]) + ballots("yellow", [4])))
    run_out(turn, box)
    close_turn(turn.pk, box)
    record = plain(match)
    count = record["counts"][0]
    text = f"{count['seed']}:{count['red']['root']}:{count['yellow']['root']}"
    mixed = sha256(text.encode()).hexdigest() if draws == FROM_ROOTS else count["seed"]
    drawn = int(sha256(f"{mixed}:red".encode()).hexdigest(), 16) % 5
    assert record["format"] == f"crowdgame match {version}"
    assert count["lot"] == sha256(f"{prefix}:{count['seed']}".encode()).hexdigest()
    assert draws_version(count["seed"], count["lot"]) == draws
    assert count["red"]["pick"] == count["red"]["ballots"][drawn][0]
    gap = "not checked: that the server did not choose the seed, which alone decided turn 1"
    for code, said in verdicts(record, tmp_path):
        assert (code, gap in said) == (0, draws == FROM_SEED), said


def test_other_commitment_has_no_version_of_draws() -> None:
    assert draws_version(SEED, sha256(f"crowdgame lot 3:{SEED}".encode()).hexdigest()) is None
