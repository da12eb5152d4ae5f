"""A record is compared with the log: honest ones agree, and what a dishonest server rewrites doesn't."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, play, play_turn, start
from tests.voting.sample_histories import play_aborted_match, play_eventful_match, play_restored_match
from tests.voting.sample_matches import record_of
from tests.voting.transparency.test_log import entries
from voting.ballot_box.ballot_box import BallotBox
from voting.models import LogHead, Match
from voting.records.log_check import find_log_faults, find_older_turns
from voting.records.match_record import BACKUP_EPOCH_LEAP, MatchRecord
from voting.terms import TieRule
from voting.transparency.entries import Lot, MatchOver, Seal, TurnVoided, entry_turn
from voting.transparency.log import load_log
from voting.turns.turns import place_new_turns

pytestmark = pytest.mark.django_db


def faults(record: MatchRecord) -> list[str]:
    return list(find_log_faults(record, entries()))


@pytest.mark.parametrize("play_match", [play_eventful_match, play_aborted_match, play_restored_match])
def test_log_agrees_with_eventful_record(play_match: Callable[[BallotBox], Match], box: BallotBox) -> None:
    record = record_of(play_match(box))
    assert record.voided or record.counts
    assert faults(record) == []
    assert faults(replace(record, name="renamed")) == []
    if record.voided and record.result != "open":
        assert faults(replace(record, voided=())) == ["the log has another record of the match"]


@pytest.mark.parametrize("terms", [{"max_side_changes": 1}, {"tie_rule": TieRule.FIRST}, {"resign": "half"}])
def test_log_agrees_with_finished_record(terms: dict[str, object], box: BallotBox) -> None:
    turn = start(box, **terms)
    play(turn.match, box, RED_WINS, voters=(2, 2))
    assert faults(record_of(Match.objects.get(pk=turn.match_id))) == []


def test_log_agrees_with_reopened_match(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    press(turn.match.event_id, "turn.void", box)
    play(turn.match, box, RED_WINS[-1:])
    assert faults(record_of(Match.objects.get(pk=turn.match_id))) == []
    assert sum(isinstance(entry, MatchOver) for entry in entries()) == 2


@pytest.mark.parametrize("epoch", [1, BACKUP_EPOCH_LEAP, BACKUP_EPOCH_LEAP + 1])
def test_seed_is_drawn_again_only_after_restored_backup(box: BallotBox, epoch: int) -> None:
    """A restored backup raises the epoch, which every phone sees and the record discloses."""
    turn = start(box)
    play(turn.match, box, RED_WINS[:1])
    LogHead.objects.update(key=b"")
    restored = turn.match.turns.get(state="open")
    turn.match.turns.filter(pk=restored.pk).update(seed="a" * 32, epoch=epoch, version=1_001)
    load_log()
    restored.refresh_from_db()
    place_new_turns([restored], box)
    play(turn.match, box, RED_WINS[1:])
    found = faults(record_of(Match.objects.get(pk=turn.match_id)))
    assert [str(restored.pk) in fault for fault in found] == [True] * (epoch <= BACKUP_EPOCH_LEAP)


@pytest.fixture
def record(box: BallotBox) -> MatchRecord:
    turn = start(box, tie_rule=TieRule.FIRST)
    play_turn(turn, box, [1, 5], [2])
    play(turn.match, box, RED_WINS[1:])
    return record_of(Match.objects.get(pk=turn.match_id))


@pytest.mark.parametrize(
    "change", [{"terms": "resign"}, {"ended_by": "resign"}, {"result": "yellow"}, {"game": "trails"}]
)
def test_rewritten_match_is_found(change: dict[str, str], record: MatchRecord) -> None:
    values = {"terms": replace(record.terms, resign="half")} if "terms" in change else change
    assert faults(replace(record, **values)) == ["the log has another record of the match"]


def test_omitted_void_turn_is_found(record: MatchRecord) -> None:
    """The log has a void that the record doesn't list, and the other way round."""
    first = record.counts[0].turn
    void = TurnVoided(turn=first, reason="taken_back", at=1)
    assert "the log has other entries" in "".join(find_log_faults(record, [*entries(), void]))
    left = [entry for entry in entries() if not (isinstance(entry, Lot) and entry.turn == first)]
    assert len(list(find_log_faults(record, left))) == 1


def test_two_seals_without_void_are_found(record: MatchRecord) -> None:
    seals = [entry for entry in entries() if isinstance(entry, Seal)]
    again = replace(seals[-1], at=seals[-1].at + 1)
    logged = [entry for entry in entries() if not isinstance(entry, MatchOver)]
    for other in (again, seals[-1]):
        assert len(list(find_log_faults(record, [*logged, other, entries()[-1]]))) == 1


def test_only_turns_before_the_first_lot_are_older(record: MatchRecord) -> None:
    """The log began while the second turn was open, or the server left out later entries."""
    first, second, third = (turn.turn for turn in record.counts[:3])
    logged = [
        entry
        for entry in entries()
        if entry_turn(entry) != first and entry != Lot(turn=second, lot=record.counts[1].lot)
    ]

    def is_seal(entry: object, turn_id: int) -> bool:
        return isinstance(entry, Seal) and entry.turn == turn_id

    older = find_older_turns(record, logged)
    assert (older, list(find_log_faults(record, logged, older))) == ([first, second], [])
    for turn_id in (second, third):
        changed = [replace(entry, at=1) if is_seal(entry, turn_id) else entry for entry in logged]
        assert len(list(find_log_faults(record, changed, older))) == 1
    without = [entry for entry in logged if not is_seal(entry, third)]
    assert len(list(find_log_faults(record, without, older))) == 1
    assert list(find_log_faults(record, [], find_older_turns(record, []))) == []


def test_match_that_never_ended_in_the_log_is_found(record: MatchRecord) -> None:
    assert list(find_log_faults(record, entries()[:-1])) == ["the log doesn't have the end of the match"]
    twice = [*entries(), entries()[-1]]
    assert list(find_log_faults(record, twice)) == ["the match went on after its end, without a void turn"]
