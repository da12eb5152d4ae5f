"""Importing match records: an import exports as the same record, or it is refused."""

import json
from copy import deepcopy
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from tests.voting.altered_records import Alteration, put
from tests.voting.match_helpers import RED_WINS, new_event, organizer, play, start
from tests.voting.sample_histories import HISTORIES
from tests.voting.sample_matches import MATCHES, Record, play_match, record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.matches import MatchError
from voting.models import Event, TallyRecord, Turn
from voting.records.imports import ImportRefused, import_event, import_match
from voting.records.match_record import MatchRecord, read_match_record
from voting.terms import MatchState
from voting.turns.turns import start_match
from voting.turns.voiding import take_back_turn

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000_000


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


def test_turn_of_imported_draw_offers_stays(box: BallotBox, match_records: dict[str, MatchRecord]) -> None:
    """Records don't say which offer stood before a turn, which the turn voted again would need."""
    match = import_event(match_records["draw accepted"], organizer(), NOW)
    with pytest.raises(MatchError, match="imported"):
        take_back_turn(match.event_id, box, lambda turn: None)


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


def test_turn_ids_continue_after_imported_id(box: BallotBox, records: dict[str, Record]) -> None:
    record = altered(records["both forfeit"], put("counts", 0, "turn", to=10**14))
    match = import_event(record, organizer(), NOW)
    assert start_match(match.event_id, box).turns.get().pk > 10**14


# ------------------------------------------------------------------ import command
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
