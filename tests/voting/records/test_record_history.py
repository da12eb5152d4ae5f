from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from games.bots.bots import VERSION
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import press
from tests.voting.box_helpers import empty
from tests.voting.recovery_model import close_and_then
from tests.voting.sample_histories import restore_backup
from tests.voting.sample_matches import Record, plain, record_of
from tests.voting.sources.test_sources import begin
from tests.voting.verifiers import verdicts, verify
from voting.ballot_box.ballot_box import BallotBox
from voting.models import LogEntry, Match, TallyRecord
from voting.records.exports import record_version
from voting.records.log_check import find_log_faults
from voting.records.recount import find_faults, find_gaps
from voting.sources import bots
from voting.sources.casting import cast_due
from voting.transparency.entries import decode_entry
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


def void_reasons(record: Record) -> list[tuple[int, str, int]]:
    return [(void["number"], void["reason"], len(void.get("seals", ()))) for void in record["voided"]]


def test_turn_taken_back_is_named_with_its_seal(box: BallotBox, tmp_path: Path) -> None:
    first = helpers.start(box)
    match = first.match
    helpers.play(match, box, helpers.RED_WINS[:1])
    superseded = helpers.only_turn(match)
    press(match.event_id, "turn.void", box)
    helpers.play(match, box, helpers.RED_WINS)
    record = plain(match)
    assert void_reasons(record) == [(1, "taken_back", 1), (2, "superseded", 0)]
    taken_back, open_one = record["voided"]
    assert (taken_back["turn"], open_one["turn"]) == (first.pk, superseded.pk)
    roots = dict(TallyRecord.objects.filter(turn=first).values_list("side", "root"))
    assert taken_back["seals"] == [{"at": load_turn(first.pk).sealed_at, **roots}]
    assert taken_back["voided_at"] >= load_turn(first.pk).sealed_at
    text = verify(record, tmp_path)
    assert f"not checked: the ballots of void turns, and why they are void (ids {first.pk}, " in text
    assert text.splitlines()[-1] == "VALID: red won, Rooks"


def test_concealed_turn_taken_back_changes_the_record(box: BallotBox) -> None:
    """Though no turn is resolved, the record cannot come from a cache."""
    turn = helpers.start(box, game=helpers.SELECTOR)
    helpers.play_turn(turn, box, red=[3])
    match = turn.match
    match.refresh_from_db()
    before = record_version(match)
    assert "voided" not in plain(match)
    press(match.event_id, "turn.void", box)
    assert record_version(match) != before
    assert void_reasons(plain(match)) == [(1, "taken_back", 1), (2, "superseded", 0)]


def test_histories_name_aborts_losses_and_backups(records: dict[str, Record], tmp_path: Path) -> None:
    aborted, eventful, restored = (records[name] for name in ("aborted", "eventful", "restored"))
    assert (aborted["state"], aborted["result"], aborted["ended_by"]) == ("aborted", "open", None)
    assert void_reasons(aborted) == [(1, "stopped", 1), (2, "stopped", 0)], "the first turn is concealed"
    said = "VALID so far: the match was aborted without a result"
    assert verify(aborted, tmp_path).splitlines()[-1] == said
    epochs = [(count.get("epoch", 1), count.get("restored")) for count in eventful["counts"]]
    assert epochs[:2] == [(2, "phones"), (1, None)]
    said = "not checked: whether all ballots came back after the ballot box was lost in turn 1"
    assert said in verify(eventful, tmp_path).splitlines()
    assert restored["counts"][0]["restored"] == "backup"
    verify(restored, tmp_path)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (("add time",), "time_added"),
        (("lose box",), "box_lost"),
        (("restore", "lose box"), "box_lost"),
        (("restore", "add time", "lose box"), "box_lost"),
    ],
)
def test_replaced_seal_has_a_cause(
    steps: Sequence[str], reason: str, box: BallotBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[Any] = []
    monkeypatch.setattr("voting.turns.closing.publish_seals", lambda seals: published.extend(seals.values()))
    turn = helpers.start_open(box)
    helpers.vote(turn, box, [3], [4, 4])
    helpers.run_out(turn, box)

    def lose_box() -> None:
        empty()
        restore_turn(turn.pk, box)

    actions = {
        "add time": lambda: helpers.open_now(load_turn(turn.pk), box),
        "lose box": lose_box,
        "restore": restore_backup,
    }
    close_and_then(turn, lambda: [actions[step]() for step in steps])
    helpers.vote(load_turn(turn.pk), box, [3, 5], [4, 4])
    helpers.play_out(turn, box)
    record = plain(turn.match)
    first, last = record["counts"][0]["seals"]
    listed = [(seal["at"], seal["red"], seal["yellow"]) for seal in (first, last)]
    assert [(seal.at, seal.red.root, seal.yellow.root) for seal in published] == listed
    assert (first["red"] != last["red"], last["at"]) == (True, record["counts"][0]["sealed_at"])
    assert (first["void"]["reason"], "void" in last) == (reason, False)
    assert (first["void"]["epoch"] > 1) == (reason == "box_lost")
    assert first["at"] <= first["void"]["at"] <= last["at"]
    said = "not checked: whether phones saw why a seal was replaced in turn 1"
    assert said in verify(record, tmp_path).splitlines()
    logged = LogEntry.objects.order_by("pk").values_list("content", flat=True)
    entries = [decode_entry(content.encode()) for content in logged]
    assert list(find_log_faults(record_of(turn.match), entries)) == []


def test_seal_of_turn_that_was_aborted_meanwhile_is_kept(box: BallotBox) -> None:
    turn = helpers.start_open(box)
    helpers.run_out(turn, box)
    close_and_then(turn, lambda: press(turn.match.event_id, "match.abort", box))
    assert void_reasons(plain(turn.match)) == [(1, "stopped", 1)]


def test_record_queries_are_few(box: BallotBox, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    match, counted = helpers.start(box).match, []
    for picks in ([(1, 2), (3, 4)], [(5, 6), (7, 1)]):
        helpers.play(match, box, picks)
        press(match.event_id, "turn.void", box)
        with django_assert_num_queries(8):
            record = record_of(match)
        counted.append((len(record.counts), len(record.voided)))
    assert counted == [(1, 2), (2, 4)]


def play_bot(box: BallotBox, source: str, turns: int) -> Match:
    turn = begin(box, ("phones", source))
    for column in range(1, turns + 1):
        helpers.open_now(turn, box)
        cast_due(box)
        helpers.vote(turn, box, red=[column])
        helpers.play_out(turn, box)
        turn = helpers.only_turn(turn.match)
    return Match.objects.get(pk=turn.match_id)


def test_both_verifiers_read_a_match_against_a_bot(box: BallotBox, tmp_path: Path) -> None:
    record = plain(play_bot(box, "bot:3", 3))
    assert record["bots"] == {"version": VERSION, "yellow": 3}
    (code, text), (other_code, other) = verdicts(record, tmp_path)
    assert (code, other_code) == (0, 0)
    assert "computer" not in text
    assert "not checked: the picks of the computer, which this script cannot recompute" in other


def test_other_ballot_in_name_of_the_bot_is_found(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "pick_action", lambda *_: 7)
    record = record_of(play_bot(box, "bot:4", 2))
    faults = [(fault.side, fault.text.rpartition(", but ")[2]) for fault in find_faults(record)]
    assert faults == [("yellow", "the ballots are [7]")] * 2


def test_missing_ballot_of_a_bot_and_picks_of_an_unknown_version_are_gaps(box: BallotBox) -> None:
    turn = begin(box, no_ballot_rule="random")
    helpers.play_out(turn, box)
    match = play_bot(box, "bot:1", 1)
    Match.objects.filter(pk=match.pk).update(bots={"version": 99, "yellow": 5})
    missing, other = record_of(turn.match), record_of(match)
    assert find_faults(missing) == find_faults(other) == []
    assert list(find_gaps(missing)) == ["why the computer did not vote in turn 1"]
    assert list(find_gaps(other)) == ["the picks of the computer, which are of version 99"]
