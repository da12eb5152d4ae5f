"""Both verifiers check what a record tells about lost ballot boxes, void seals, void turns and endings."""

import json
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.voting.match_helpers import organizer
from tests.voting.sample_histories import play_eventful_match
from tests.voting.sample_matches import Record, plain, record_of
from tests.voting.verifiers import ours, standalone, theirs, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.records.imports import import_event
from voting.records.match_roots import export_roots

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000


@pytest.fixture(scope="module")
def eventful(module_box: BallotBox) -> Match:
    """A match with a void turn, a void seal, a lost box and an end."""
    return play_eventful_match(module_box)


def swap_seeds(record: Record) -> None:
    """Give a void turn the seed of a turn that counts: its draws were known then."""
    record["voided"][0] |= {name: record["counts"][0][name] for name in ("seed", "lot")}


def void_a_counted_turn(record: Record) -> None:
    record["voided"][0]["turn"] = record["counts"][0]["turn"]


def change(*path: Any, to: Any) -> Callable[[Record], None]:
    def alter(record: Record) -> None:
        part: Any = record
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = to

    return alter


LAST_DOES_NOT_COUNT = "turn 2: the seal published last is not the one that counts"
ALTERATIONS: dict[str, tuple[Callable[[Record], None], str]] = {
    "seed of a void turn": (change("voided", 0, "seed", to="0" * 32), "seed that does not match"),
    "the same seed": (swap_seeds, "has the seed of a turn that counts"),
    "void turn that counts": (void_a_counted_turn, "also counts"),
    "void turn after its replacement": (change("voided", 0, "turn", to=10**12), "is later than turn 2"),
    "void turns out of order": (lambda record: record["voided"].reverse(), "in the order of the ids"),
    "void turn without a reason": (change("voided", 0, "reason", to=None), "has only one of"),
    "void seal that counts": (
        lambda record: record["counts"][0]["seals"][0].update(at=record["counts"][0]["sealed_at"]),
        "turn 1: a void seal has the time of another seal",
    ),
    "no seals": (change("counts", 1, "seals", to=[]), LAST_DOES_NOT_COUNT),
    "seal of another time": (change("counts", 1, "seals", 0, "at", to=1), LAST_DOES_NOT_COUNT),
    "seal of another root": (change("counts", 1, "seals", 0, "red", to="0" * 64), LAST_DOES_NOT_COUNT),
    "seal of another epoch": (change("counts", 1, "seals", 0, "epoch", to=2), LAST_DOES_NOT_COUNT),
    "seal that never counted at the end": (
        lambda record: record["counts"][1]["seals"].append({"at": 1}),
        LAST_DOES_NOT_COUNT,
    ),
    "void seal at the end": (
        lambda record: record["counts"][1]["seals"][0].update(void=record["counts"][0]["seals"][0]["void"]),
        LAST_DOES_NOT_COUNT,
    ),
    "replaced seal without a cause": (
        change("counts", 0, "seals", 0, "void", to=None),
        "turn 1: it has a seal that was replaced without a cause",
    ),
    "lost box without an epoch": (
        change("counts", 0, "seals", 0, "void", "reason", to="box_lost"),
        "turn 1: it has a seal that was replaced without a cause",
    ),
    "epoch after that of the next seal": (
        lambda record: record["counts"][0]["seals"][0]["void"].update(reason="box_lost", epoch=3),
        "turn 1: it has a seal that was replaced without a cause",
    ),
    "seal of a void turn that was replaced without a cause": (
        lambda record: record["voided"][0]["seals"].append({"at": 1}),
        "has a seal that was replaced without a cause",
    ),
    "loss denied": (change("counts", 0, "epoch", to=1), "turn 1: `restored` does not fit its epoch"),
    "loss invented": (change("counts", 1, "restored", to="phones"), "turn 2: `restored` does not fit"),
    "backup denied": (change("counts", 0, "epoch", to=5_000), "turn 1: `restored` does not fit its epoch"),
    "ended match said to be aborted": (change("state", to="aborted"), "`state` is aborted"),
}


def test_verifiers_find_faults_in_the_history(eventful: Match, tmp_path: Path) -> None:
    record = plain(eventful)
    verify(record, tmp_path)
    for name, (alter, said) in ALTERATIONS.items():
        altered = deepcopy(record)
        alter(altered)
        for verifier in (ours, theirs):
            code, text = verifier(altered, tmp_path / "record.json")
            assert (code, said in text) == (1, True), (name, text)
        assert ours(altered, tmp_path / "a") == theirs(altered, tmp_path / "a")


@pytest.mark.parametrize(
    "alter",
    [
        change("state", to="paused"),
        change("voided", to=None),
        change("voided", 0, to=1),
        change("voided", 0, "number", to=0),
        change("voided", 0, "reason", to="boredom"),
        change("voided", 0, "seals", 0, to={"at": 1, "red": "x"}),
        change("counts", 0, "epoch", to=0),
        change("counts", 0, "epoch", to=True),
        change("counts", 0, "restored", to="memory"),
        change("counts", 0, "void_seals", to=[{"red": "0" * 64}]),
        change("counts", 0, "seals", 0, to={"red": "0" * 64}),
        change("counts", 0, "seals", 0, "epoch", to=None),
        change("counts", 0, "seals", 0, "epoch", to=0),
        change("counts", 0, "seals", 0, "void", to=1),
        change("counts", 0, "seals", 0, "void", "reason", to="boredom"),
        change("counts", 0, "seals", 0, "void", "epoch", to=0),
        change("counts", 0, "seals", 0, "void", "at", to=None),
    ],
)
def test_verifiers_reject_malformed_history(
    alter: Callable[[Record], None], eventful: Match, tmp_path: Path
) -> None:
    record = plain(eventful)
    alter(record)
    assert [verifier(record, tmp_path / "record.json")[0] for verifier in (ours, theirs)] == [1, 1]


def test_verifier_compares_the_roots_that_phones_compare(eventful: Match, tmp_path: Path) -> None:
    roots = json.loads(msgspec.json.encode(export_roots(eventful)))
    (tmp_path / "record.json").write_bytes(msgspec.json.encode(record_of(eventful)))

    def compare(published: Record) -> tuple[int, str]:
        (tmp_path / "roots.json").write_text(json.dumps(published))
        with redirect_stdout(StringIO()) as output:
            code = standalone.main([str(tmp_path / name) for name in ("record.json", "roots.json")])
        return code, output.getvalue()

    assert compare(roots)[0] == 0
    assert len(roots["turns"]) == 6
    for number, turn in enumerate(roots["turns"]):
        for alter in (change("lot", to="0" * 64), change("seals", to=[{"at": 1}]), change("turn", to=10**12)):
            altered = deepcopy(roots)
            alter(altered["turns"][number])
            code, text = compare(altered)
            said = f"the roots: the seals of the turn with the id {turn['turn']} are not those of the record"
            assert (code, said in text.splitlines()) == (1, True)
    assert compare(roots | {"draw_lot": "0" * 64})[0] == compare(roots | {"draw_lot": None})[0] == 1
    malformed: Any
    for malformed in ({"turns": 1}, {"turns": [1]}, {"turns": [{"turn": 1, "lot": "", "seals": [1]}]}, []):
        assert compare(malformed)[0] == 1


def test_import_keeps_the_history(eventful: Match) -> None:
    record = record_of(eventful)
    Event.objects.all().delete()
    assert record_of(import_event(record, organizer(), NOW)) == record
