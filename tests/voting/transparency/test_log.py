"""The log in the database: what is appended, its tiles and proofs, and a new log after a restored backup."""

from typing import Any

import pytest
from django.db import connection, transaction

from crowdgame.maintenance.backups import fresh_start_sql
from crowdgame.maintenance.database_copies import database_copies
from tests.voting.action_helpers import press
from tests.voting.match_helpers import RED_WINS, SELECTOR, play, play_turn, start
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.commitments import Tree, hash_leaf
from voting.models import LogEntry, LogHead, LogWitness, Turn
from voting.transparency.entries import Entry, Lot, MatchOver, Restored, decode_entry
from voting.transparency.log import append_entries, load_log, log_root, prove_entries, prove_turns, read_tile
from voting.transparency.proof_files import parse_proof, verify_proof
from voting.transparency.tiles import ENTRIES, decode_bundle

pytestmark = pytest.mark.django_db


def entries() -> list[Entry]:
    contents = LogEntry.objects.order_by("pk").values_list("content", flat=True)
    return [decode_entry(content.encode()) for content in contents]


def append(count: int) -> None:
    with transaction.atomic():
        append_entries([Lot(turn=number, lot="0" * 64) for number in range(10**9, 10**9 + count)])


def test_match_appends_what_happens(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS[:1])
    press(turn.match.event_id, "turn.void", box)
    play(turn.match, box, RED_WINS)
    kinds = [type(entry).__name__ for entry in entries()]
    assert kinds == ["Lot", "Seal", "Lot", "TurnVoided", "TurnVoided", *["Lot", "Seal"] * 4, "MatchOver"]
    over = entries()[-1]
    assert isinstance(over, MatchOver)
    assert over.turn == max(turn.match.turns.values_list("pk", flat=True))
    lots = {entry.turn: entry.lot for entry in entries() if isinstance(entry, Lot)}
    assert lots == {one.pk: one.lot for one in Turn.objects.all()}


def test_open_and_concealed_turns_disclose_only_commitments(box: BallotBox) -> None:
    turn = start(box, game=SELECTOR)
    play_turn(turn, box, red=[3], yellow=[4])
    log = "".join(LogEntry.objects.values_list("content", flat=True))
    assert not any(secret in log for secret in Turn.objects.values_list("seed", flat=True))
    assert '"pick"' not in log
    assert not any(name in log for name in ("An evening", "Rooks", turn.match.event.code))


def test_secret_turn_has_one_commitment(box: BallotBox) -> None:
    turn = start(box, max_side_changes=1)
    play_turn(turn, box, red=[3, 3], yellow=[4])
    seal = LogEntry.objects.get(content__contains="seal 1").content
    assert "turn_commitment" in seal
    assert '"red"' not in seal
    assert '"ballots"' not in seal


def test_three_hundred_seals_need_as_many_statements_as_one(django_assert_max_num_queries: Any) -> None:
    append(1)
    with django_assert_max_num_queries(3 + 1 + 2):  # a full tile's hash; the transaction
        append(300)


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


def test_proofs_of_turn_verify(box: BallotBox) -> None:
    turn = start(box)
    assert len(prove_entries([turn.pk])) == 1
    play(turn.match, box, RED_WINS)
    log, proofs = load_log(), prove_entries([turn.pk])
    assert [type(decode_entry(content.encode())).__name__ for content, _ in proofs] == ["Lot", "Seal"]
    for content, proof in proofs:
        verify_proof(parse_proof(str(proof).encode()), content.encode(), log.verifier_key)
    assert prove_entries([turn.pk + 1_000]) == []


def test_entries_after_the_checkpoint_are_not_proven(box: BallotBox) -> None:
    """Another process appends after the head was read."""
    turn = start(box)
    play(turn.match, box, RED_WINS[:1])
    head = LogHead.objects.values("size", "hashes").get()
    play(turn.match, box, RED_WINS[1:])
    LogHead.objects.update(**head)
    proofs, _ = prove_turns(Turn.objects.values_list("pk", flat=True), 0)
    assert [proof.index for _, proof in proofs] == list(range(head["size"]))


def test_rolled_back_transaction_appends_nothing() -> None:
    append(1)
    before = load_log()
    with transaction.atomic():
        append(1)
        transaction.set_rollback(True)
    assert load_log() == before


def test_restored_backup_begins_new_log(box: BallotBox) -> None:
    turn = start(box)
    before = load_log()
    LogWitness.objects.create(key="w", size=1, root=before.checkpoint.root, cosignature="— w AAAAAAA=\n")
    [forget_key] = [sql for sql in fresh_start_sql(database_copies()) if "loghead SET" in sql]
    with connection.cursor() as cursor:
        cursor.execute(forget_key)
    after = load_log()
    assert len(after.sign(before.checkpoint).signatures) == 1, "the cosignature is on the old log"
    assert LogWitness.objects.get().size is None
    assert after.verifier_key.public != before.verifier_key.public
    assert after.origin != before.origin
    assert load_log() == after
    assert entries()[1:] == [Restored(origin=before.origin), Lot(turn=turn.pk, lot=turn.lot)]


def test_first_turn_after_restored_backup_is_logged_once(box: BallotBox) -> None:
    append(1)
    LogHead.objects.update(key=b"")
    turn = start(box)
    assert [type(entry).__name__ for entry in entries()] == ["Lot", "Restored", "Lot"]
    assert entries()[-1] == Lot(turn=turn.pk, lot=turn.lot)
