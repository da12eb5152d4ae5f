from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from msgspec.structs import replace

from tests.voting import sample_histories as histories
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, SELECTOR, play, play_turn, start
from tests.voting.sample_matches import record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import Tree, hash_leaf
from voting.models import LogEntry, LogHead, LogWitness, Match, Turn
from voting.records.log_check import find_log_faults, find_older_turns
from voting.records.match_record import MatchRecord
from voting.terms import TieRule
from voting.transparency import entries as log_entries
from voting.transparency.checkpoints import Checkpoint
from voting.transparency.entries import BACKUP_EPOCH_LEAP
from voting.transparency.log import append_entries, load_log, log_root, prove_entries, prove_turns, read_tile
from voting.transparency.proof_files import parse_proof, verify_proof
from voting.transparency.tiles import ENTRIES, decode_bundle
from voting.turns.turns import place_new_turns

pytestmark = pytest.mark.django_db
COURSES = (histories.play_eventful_match, histories.play_aborted_match, histories.play_restored_match)


def entries() -> list[log_entries.Entry]:
    contents = LogEntry.objects.order_by("pk").values_list("content", flat=True)
    return [log_entries.decode_entry(content.encode()) for content in contents]


def append(count: int) -> None:
    with transaction.atomic():
        append_entries([log_entries.Lot(turn=number, lot="0" * 64) for number in range(10**9, 10**9 + count)])


def test_match_appends_what_happens(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS[:1])
    press(turn.match.event_id, "turn.void", box)
    play(turn.match, box, RED_WINS)
    kinds = [type(entry).__name__ for entry in entries()]
    assert kinds == ["Lot", "Seal", "Lot", "TurnVoided", "TurnVoided", *["Lot", "Seal"] * 4, "MatchOver"]
    over = entries()[-1]
    assert isinstance(over, log_entries.MatchOver)
    assert over.turn == max(turn.match.turns.values_list("pk", flat=True))
    press(turn.match.event_id, "turn.void", box)
    play(turn.match, box, RED_WINS[-1:])
    assert sum(isinstance(entry, log_entries.MatchOver) for entry in entries()) == 2
    assert faults(record_of(Match.objects.get(pk=turn.match_id))) == []
    lots = {entry.turn: entry.lot for entry in entries() if isinstance(entry, log_entries.Lot)}
    assert lots == {one.pk: one.lot for one in Turn.objects.all()}


def test_concealed_and_secret_turns_disclose_only_commitments(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[3], yellow=[4])
    log = "".join(LogEntry.objects.values_list("content", flat=True))
    assert not any(secret in log for secret in Turn.objects.values_list("seed", flat=True))
    assert '"pick"' not in log
    assert not any(name in log for name in ("An evening", "Rooks", turn.match.event.code))
    turn = start(box, max_side_changes=1)
    play_turn(turn, box, red=[3, 3], yellow=[4])
    seal = LogEntry.objects.filter(content__contains="seal 1").latest("pk").content
    assert "turn_commitment" in seal
    assert '"red"' not in seal
    assert '"ballots"' not in seal


def test_append_needs_few_statements_and_is_rolled_back(django_assert_max_num_queries: Any) -> None:
    append(1)
    with django_assert_max_num_queries(3 + 1 + 2):  # a full tile's hash; the transaction
        append(300)
    before = load_log()
    with transaction.atomic():
        append(1)
        transaction.set_rollback(True)
    assert load_log() == before


def test_checkpoint_has_the_root_of_all_entries() -> None:
    for count in (1, 254, 1, 1, 300):
        append(count)
    contents = LogEntry.objects.order_by("pk").values_list("content", flat=True)
    leaves = [hash_leaf(content.encode()) for content in contents]
    assert load_log().checkpoint.root == Tree(leaves).root == log_root(557)
    assert log_root(255) == Tree(leaves[:255]).root
    assert read_tile(0, 1, 256) == b"".join(leaves[256:512])
    assert read_tile(1, 0, 2) == Tree(leaves[:256]).root + Tree(leaves[256:512]).root
    bundle = read_tile(ENTRIES, 2, 45)
    assert bundle
    assert [hash_leaf(entry) for entry in decode_bundle(bundle)] == leaves[512:]
    assert [read_tile(*tile) for tile in ((0, 2, 46), (0, 3, 1), (1, 0, 3), (ENTRIES, 2, 46))] == [None] * 4


def test_proofs_of_turn_verify_and_end_at_the_checkpoint(box: BallotBox) -> None:
    turn = start(box)
    assert len(prove_entries([turn.pk])) == 1
    play(turn.match, box, RED_WINS[:1])
    log, proofs = load_log(), prove_entries([turn.pk])
    proven = [log_entries.decode_entry(content.encode()) for content, _ in proofs]
    assert [type(entry).__name__ for entry in proven] == ["Lot", "Seal"]
    for content, proof in proofs:
        verify_proof(parse_proof(str(proof).encode()), content.encode(), log.verifier_key)
    assert prove_entries([turn.pk + 1_000]) == []
    head = LogHead.objects.values("size", "hashes").get()
    play(turn.match, box, RED_WINS[1:])
    LogHead.objects.update(**head)  # another process appended after the head was read
    all_proofs, _ = prove_turns(Turn.objects.values_list("pk", flat=True), 0)
    assert [proof.index for _, proof in all_proofs] == list(range(head["size"]))


def test_proof_is_for_the_newest_checkpoint_that_witnesses_cosigned(box: BallotBox) -> None:
    turn, cosigned, line = start(box), list[Checkpoint](), "— w AAAAAAA=\n"
    for key in "ab":
        append(1)
        cosigned.append(checkpoint := load_log().checkpoint)
        LogWitness.objects.create(key=key, size=checkpoint.size, root=checkpoint.root, cosignature=line)
    append(1)
    [(_, proof)] = prove_entries([turn.pk])
    assert (proof.checkpoint.text, len(proof.checkpoint.signatures)) == (str(cosigned[-1]), 2)
    LogWitness.objects.filter(key="a").update(size=cosigned[-1].size)
    assert len(load_log().sign(cosigned[-1]).signatures) == 2, "the other cosignature is on another root"


def test_restored_backup_begins_new_log(box: BallotBox) -> None:
    turn = start(box)
    before = load_log()
    LogWitness.objects.create(key="w", size=1, root=before.checkpoint.root, cosignature="— w AAAAAAA=\n")
    histories.restore_backup()
    turn.refresh_from_db()
    after = load_log()
    assert len(after.sign(before.checkpoint).signatures) == 1, "the cosignature is on the old log"
    assert LogWitness.objects.get().size is None
    assert after.verifier_key.public != before.verifier_key.public
    assert after.origin != before.origin
    assert load_log() == after
    restored, lot = log_entries.Restored(origin=before.origin), log_entries.Lot(turn=turn.pk, lot=turn.lot)
    assert entries()[1:] == [restored, lot]


def test_first_turn_after_restored_backup_is_logged_once(box: BallotBox) -> None:
    append(1)
    LogHead.objects.update(key=b"")
    turn = start(box)
    assert [type(entry).__name__ for entry in entries()] == ["Lot", "Restored", "Lot"]
    assert entries()[-1] == log_entries.Lot(turn=turn.pk, lot=turn.lot)


def faults(record: MatchRecord) -> list[str]:
    return list(find_log_faults(record, entries()))


@pytest.mark.parametrize("action", ["match.abort", "turn.void"])
def test_turn_voided_right_after_restored_backup_has_its_new_lot(action: str, box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS[:1])
    histories.restore_backup()
    press(turn.match.event_id, action, box)
    histories.restore_backup()
    load_log()
    assert faults(record_of(Match.objects.get(pk=turn.match_id))) == []


@pytest.mark.parametrize("play_match", COURSES)
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


def test_log_with_other_voids_seals_or_ends_is_found(record: MatchRecord) -> None:
    """The log has a void that the record doesn't list, and the other way round."""
    first = record.counts[0].turn
    void = log_entries.TurnVoided(turn=first, reason="taken_back", at=1)
    assert "the log has other entries" in "".join(find_log_faults(record, [*entries(), void]))
    left = [entry for entry in entries() if not (isinstance(entry, log_entries.Lot) and entry.turn == first)]
    assert len(list(find_log_faults(record, left))) == 1
    seals = [entry for entry in entries() if isinstance(entry, log_entries.Seal)]
    again = replace(seals[-1], at=seals[-1].at + 1)
    logged = [entry for entry in entries() if not isinstance(entry, log_entries.MatchOver)]
    for other in (again, seals[-1]):
        assert len(list(find_log_faults(record, [*logged, other, entries()[-1]]))) == 1
    assert list(find_log_faults(record, entries()[:-1])) == ["the log doesn't have the end of the match"]
    twice = [*entries(), entries()[-1]]
    assert list(find_log_faults(record, twice)) == ["the match went on after its end, without a void turn"]


def test_only_turns_before_the_first_lot_are_older(record: MatchRecord) -> None:
    """The log began while the second turn was open, or the server left out later entries."""
    first, second, third = (turn.turn for turn in record.counts[:3])
    lot = log_entries.Lot(turn=second, lot=record.counts[1].lot)
    logged = [entry for entry in entries() if log_entries.entry_turn(entry) != first and entry != lot]

    def is_seal(entry: object, turn_id: int) -> bool:
        return isinstance(entry, log_entries.Seal) and entry.turn == turn_id

    older = find_older_turns(record, logged)
    assert (older, list(find_log_faults(record, logged, older))) == ([first, second], [])
    for turn_id in (second, third):
        changed = [replace(entry, at=1) if is_seal(entry, turn_id) else entry for entry in logged]
        assert len(list(find_log_faults(record, changed, older))) == 1
    without = [entry for entry in logged if not is_seal(entry, third)]
    assert len(list(find_log_faults(record, without, older))) == 1
    assert list(find_log_faults(record, [], find_older_turns(record, []))) == []
    end = entries()[-1:]  # the log began just before the match ended
    assert list(find_log_faults(record, end, find_older_turns(record, end))) == []
    rewritten = list(find_log_faults(replace(record, game="trails"), end, find_older_turns(record, end)))
    assert rewritten == ["the log has another record of the match"]
