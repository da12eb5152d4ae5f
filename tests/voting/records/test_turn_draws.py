"""Draws of a turn follow from its seed and both roots; those of earlier versions from the seed alone."""

import json
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from games.engine.game import Side
from tests.voting.match_helpers import ballots, new_event, only_turn, open_now, run_out
from tests.voting.sample_matches import Record, record_of, with_blinds
from tests.voting.verifiers import ours, theirs
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import FROM_ROOTS, FROM_SEED, draws_version, mix_seed
from voting.models import Turn
from voting.turns.closing import close_turn
from voting.turns.turns import start_match, to_boxed_turn

SEED, RED, YELLOW = "00112233445566778899aabbccddeeff", "a" * 64, "b" * 64
GAP = "not checked: that the server did not choose the seed, which alone decided turn 1"


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
    ("text", "version"),
    [(f"crowdgame lot 2:{SEED}", 2), (f"crowdgame lot:{SEED}", 1), (f"crowdgame lot 3:{SEED}", None)],
)
def test_commitment_says_how_draws_follow(text: str, version: int | None) -> None:
    assert draws_version(SEED, sha256(text.encode()).hexdigest()) == version


def play_lottery(box: BallotBox, draws: int | None) -> Record:
    """The record of one turn decided by lottery. With FROM_SEED, an earlier version began it."""
    match = start_match(new_event(tally_method="lottery").pk, box)
    turn = only_turn(match)
    if draws:
        Turn.objects.update(draws_version=draws)
    open_now(turn, box)
    box.cast(to_boxed_turn(turn), with_blinds(ballots("red", [1, 2, 3, 5, 7]) + ballots("yellow", [4])))
    run_out(turn, box)
    close_turn(turn.pk, box)
    record: Record = json.loads(msgspec.json.encode(record_of(match)))
    return record


def drawn(count: Record, mixed: str) -> int:
    lot = int(sha256(f"{mixed}:red".encode()).hexdigest(), 16)
    choice: int = count["red"]["ballots"][lot % 5][0]
    return choice


@pytest.mark.django_db
def test_turn_draws_from_seed_and_roots(box: BallotBox, tmp_path: Path) -> None:
    record = play_lottery(box, None)
    count = record["counts"][0]
    text = f"{count['seed']}:{count['red']['root']}:{count['yellow']['root']}"
    assert record["format"] == "crowdgame match 5"
    assert count["lot"] == sha256(f"crowdgame lot 2:{count['seed']}".encode()).hexdigest()
    assert count["red"]["pick"] == drawn(count, sha256(text.encode()).hexdigest())
    for code, said in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert (code, GAP in said) == (0, False), said


@pytest.mark.django_db
def test_turn_of_earlier_version_draws_from_seed_alone(box: BallotBox, tmp_path: Path) -> None:
    record = play_lottery(box, FROM_SEED)
    count = record["counts"][0]
    assert record["format"] == "crowdgame match 4"
    assert count["lot"] == sha256(f"crowdgame lot:{count['seed']}".encode()).hexdigest()
    assert count["red"]["pick"] == drawn(count, count["seed"])
    for code, said in (ours(record, tmp_path / "record.json"), theirs(record, tmp_path / "record.json")):
        assert (code, GAP in said) == (0, True), said
