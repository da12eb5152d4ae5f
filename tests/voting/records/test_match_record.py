import json
from contextlib import redirect_stdout
from copy import deepcopy
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from django.core.management import CommandError, call_command

from games.engine.game import SIDES, Side
from tests.voting.altered_records import Alteration, put
from tests.voting.match_helpers import (
    RED_WINS,
    ballots,
    new_event,
    only_turn,
    open_now,
    organizer,
    play,
    run_out,
    start,
)
from tests.voting.sample_histories import HISTORIES, play_eventful_match
from tests.voting.sample_matches import MATCHES, Record, plain, play_match, record_of, with_blinds
from tests.voting.verifiers import standalone, theirs, verdicts
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import FROM_ROOTS, FROM_SEED, draws_version, mix_seed
from voting.counting.methods import Deciding
from voting.events import create_event
from voting.matches import MatchError
from voting.models import Event, TallyRecord, Turn
from voting.records.imports import ImportRefused, import_event, import_match
from voting.records.match_record import MatchRecord, read_match_record
from voting.records.match_roots import export_roots
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.turns import start_match, to_boxed_turn
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db
SEED, RED, YELLOW = "00112233445566778899aabbccddeeff", "a" * 64, "b" * 64
NOW = 1_800_000_000_000


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


def test_record_omits_fields_of_other_methods_and_links_no_ballots(records: dict[str, Record]) -> None:
    side = records["lots"]["counts"][0]["red"]
    assert list(side) == ["root", "ballots", "legal", "counts", "pick", "decided_by"]
    assert list(records["lots"]["terms"]) == ["tally_method", "tie_rule", "no_ballot_rule"]
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
    assert draws_version(SEED, sha256(f"crowdgame lot 3:{SEED}".encode()).hexdigest()) is None


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


@pytest.fixture(scope="module")
def match_records(records: dict[str, Record]) -> dict[str, MatchRecord]:
    return {name: read_match_record(json.dumps(record).encode()) for name, record in records.items()}


def altered(record: Record, alter: Alteration) -> MatchRecord:
    changed = deepcopy(record)
    alter(changed)
    return read_match_record(json.dumps(changed).encode())


@pytest.mark.parametrize("name", [*MATCHES, *HISTORIES])
def test_import_event_round_trips_record(name: str, match_records: dict[str, MatchRecord]) -> None:
    record = match_records[name]
    match = import_event(record, organizer(), NOW)
    state = MatchState.ABORTED if record.state == MatchState.PLAYING else record.state
    assert record_of(match) == msgspec.structs.replace(record, state=state)
    assert match.state == (MatchState.ABORTED if record.result == "open" else MatchState.ENDED)


def test_import_match_appends_to_existing_event(box: BallotBox) -> None:
    record = record_of(play_match(box, *MATCHES["lots"]))
    event = new_event()
    play(start_match(event.pk, box), box, RED_WINS)
    Event.objects.exclude(pk=event.pk).delete()
    match = import_match(record, event, NOW)
    again = record_of(match)
    assert (again.code, again.match, again.name) == (event.code, 2, "An evening, match 2")
    assert msgspec.structs.replace(again, code=record.code, match=record.match, name=record.name) == record
    following = start_match(event.pk, box)
    assert following.number == 3
    assert following.turns.get().pk > max(count.turn for count in record.counts)


def test_imported_turn_stays_and_ids_continue_after_it(
    box: BallotBox, match_records: dict[str, MatchRecord], records: dict[str, Record]
) -> None:
    """Records don't say which offer stood before a turn, which the turn voted again would need."""
    match = import_event(match_records["draw accepted"], organizer(), NOW)
    with pytest.raises(MatchError, match="imported"):
        take_back_turn(match.event_id, box, lambda turn: None)
    record = altered(records["both forfeit"], put("counts", 0, "turn", to=10**14))
    match = import_event(record, organizer(), NOW)
    assert start_match(match.event_id, box).turns.get().pk > 10**14
    other = import_event(altered(records["both forfeit"], put("counts", 0, "turn", to=1)), organizer(), NOW)
    assert match.event.code == record.code != other.event.code, "each event has a code of its own"


def test_import_refuses_invalid_record_existing_turn_or_unfit_event(
    box: BallotBox, records: dict[str, Record], match_records: dict[str, MatchRecord]
) -> None:
    with pytest.raises(ImportRefused, match="The record is invalid"):
        import_event(altered(records["lots"], put("counts", 0, "seed", to="5" * 32)), organizer(), NOW)
    only_turn = put("counts", 0, "turn", to=2**53 - 1)  # without ballots: it verifies with any id
    with pytest.raises(ImportRefused, match="that is out of range"):  # the next turn needs a higher id
        import_event(altered(records["both forfeit"], only_turn), organizer(), NOW)
    assert not Event.objects.exists()
    others = create_event(organizer(), "Another", ("A", "B"))
    with pytest.raises(ImportRefused, match="would differ from the record in teams"):
        import_match(match_records["lots"], others, NOW)
    assert not others.matches.exists()
    with pytest.raises(ImportRefused, match="is live"):
        import_match(match_records["begun"], start(box).match.event, NOW)
    record = record_of(play_match(box, *MATCHES["lots"]))
    turns, tallies = Turn.objects.count(), TallyRecord.objects.count()
    with pytest.raises(ImportRefused, match="is already in the database, as turn 1 of"):
        import_match(record, new_event(), NOW)
    assert (Turn.objects.count(), TallyRecord.objects.count()) == (turns, tallies)


def run(*argv: str) -> str:
    out = StringIO()
    call_command("import", *argv, stdout=out)
    return out.getvalue()


def test_import_command_restores_file_also_into_another_event(box: BallotBox, tmp_path: Path) -> None:
    code = play_match(box, *MATCHES["first"]).event.code
    file, again = tmp_path / "record.json", tmp_path / "again.json"
    call_command("export", code, "--output", str(file))
    Event.objects.all().delete()
    with pytest.raises(CommandError, match="There is no such event"):
        run(str(file))
    with pytest.raises(CommandError, match="There is no user named nobody"):
        run(str(file), "--owner", "nobody")
    assert run(str(file), "--owner", "olga").splitlines() == [
        f"match 1 of An evening ({code}): 3 turns",
        "Imported as recorded, except for state.",  # it does not go on
    ]
    call_command("export", code, "--output", str(again))
    assert again.read_bytes() == file.read_bytes().replace(b'"state":"playing"', b'"state":"aborted"')
    Event.objects.all().delete()
    output = run(str(file), "--event", new_event().code.lower())
    assert output.endswith("Imported as recorded, except for code, state.\n")


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", b'{"format": "crowdgame match 2"}'])
def test_import_command_refuses_invalid_file(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    file.write_bytes(text)
    with pytest.raises(CommandError):
        run(str(file))
