"""Compare a match record with the transparency log: the same lots, seals and voids, and nothing else."""

from collections.abc import Container, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

import msgspec
from msgspec.structs import asdict, replace

from games.engine.game import SIDES, Side
from voting.counting.commitments import ballot_tree, order_hash
from voting.records.match_record import (
    SEALS_LISTED,
    MatchRecord,
    PublishedSeal,
    Teams,
    TurnCount,
    VoidedTurn,
    side_count,
)
from voting.terms import MatchState
from voting.transparency.entries import (
    BACKUP_EPOCH_LEAP,
    Entry,
    Lot,
    MatchOver,
    Restored,
    Seal,
    SealVoided,
    TurnEntry,
    TurnVoided,
)


def hash_record(record: MatchRecord, turn_ids: Iterable[int], void_ids: Iterable[int]) -> str:
    """Hash all of a record that decides the match and that no other entry of the log commits to.

    `turn_ids` are those of the turns that count, `void_ids` those of the void ones. Names and codes are left
    out, because they can be edited.
    """
    bare = replace(
        record,
        format=SEALS_LISTED,
        name="",
        code="",
        teams=Teams(red="", yellow=""),
        counts=(),
        sides=None,
        voided=(),
    )
    return sha256(
        msgspec.json.encode([list(turn_ids), list(void_ids), bare], order="deterministic")
    ).hexdigest()


def find_log_faults(
    record: MatchRecord, entries: Iterable[Entry], older: Sequence[int] = ()
) -> Iterator[str]:
    """Yield what the log with these entries contradicts in a record that has no other faults.

    Of the turns that are `older` than the log, it has only what happened later.
    """
    turns = _list_turns(record)
    logged, redrawn = _select(entries, turns)
    for turn_id, turn in sorted(turns.items()):
        found = [entry for entry in logged if entry.turn == turn_id and not isinstance(entry, MatchOver)]
        expected = list(_expected(turn))
        if turn_id in older:
            expected = expected[max(0, len(expected) - len(found)) :]
        if list(map(_shown, found)) != expected:
            yield f"the log has other entries of the turn with the id {turn_id}"
        elif isinstance(turn, TurnCount):
            if turn_id in redrawn and turn.epoch <= BACKUP_EPOCH_LEAP:
                yield f"the seed of the turn with the id {turn_id} was drawn again without a restored backup"
            seals = [entry for entry in found if isinstance(entry, Seal)]
            yield from (
                f"the log has another seal of {side} in the turn with the id {turn_id}"
                for side in SIDES
                if seals and not _fits(turn, side, seals[-1])
            )
    over = any(isinstance(entry, MatchOver) for entry in logged)
    if record.state in (MatchState.ENDED, MatchState.ABORTED) and turns and (over or max(turns) not in older):
        yield from _find_end_faults(record, logged)


def find_older_turns(record: MatchRecord, entries: Iterable[Entry]) -> list[int]:
    """Return the ids of the turns that were planned before the log existed, which it can't confirm."""
    first = min((entry.turn for entry in entries if isinstance(entry, Lot)), default=None)
    return sorted(turn for turn in _list_turns(record) if first is None or turn < first)


def _list_turns(record: MatchRecord) -> dict[int, TurnCount | VoidedTurn]:
    listed: list[TurnCount | VoidedTurn] = [*record.counts, *record.voided]
    return {turn.turn: turn for turn in listed}


def _select(entries: Iterable[Entry], turn_ids: Container[int]) -> tuple[list[TurnEntry], set[int]]:
    """Return the entries of the turns, and those whose seed was drawn again, as after a restored backup."""
    redrawn = set[int]()
    selected, lots, before_restore = list[TurnEntry](), dict[int, int](), dict[int, int]()
    for entry in entries:
        if isinstance(entry, Restored):
            before_restore = dict(lots)
        elif entry.turn in turn_ids:
            if isinstance(entry, Lot) and entry.turn in before_restore:
                selected[before_restore.pop(entry.turn)] = entry
                redrawn.add(entry.turn)
                continue
            if isinstance(entry, Lot):
                lots[entry.turn] = len(selected)
            selected.append(entry)
    return selected, redrawn


def _expected(turn: TurnCount | VoidedTurn) -> Iterator[TurnEntry | PublishedSeal]:
    yield Lot(turn=turn.turn, lot=turn.lot)
    for seal in turn.seals:
        yield replace(seal, void=None)
        if seal.void:
            yield SealVoided(turn=turn.turn, **asdict(seal.void))
    if isinstance(turn, VoidedTurn):
        yield TurnVoided(turn=turn.turn, reason=turn.reason or "", at=turn.voided_at or 0)


def _shown(entry: TurnEntry) -> TurnEntry | PublishedSeal:
    """Return the entry as a record lists it."""
    if not isinstance(entry, Seal):
        return entry
    red, yellow = (side.root if side else None for side in (entry.red, entry.yellow))
    return PublishedSeal(
        at=entry.at, epoch=entry.epoch, red=red, yellow=yellow, turn_commitment=entry.turn_commitment
    )


def _fits(turn: TurnCount, side: Side, seal: Seal) -> bool:
    """Return whether the number of ballots and their order of arrival are those that the seal discloses."""
    count, sealed = side_count(turn, side), seal.red if side == "red" else seal.yellow
    if sealed is None or count is None:
        return True
    leaves = ballot_tree(turn.turn, side, count.ballots).levels[0]
    arrived = order_hash(leaves[index] for index in count.arrivals) if sealed.order else None
    return (len(leaves), arrived) == (sealed.ballots, sealed.order)


def _find_end_faults(record: MatchRecord, logged: Sequence[TurnEntry]) -> Iterator[str]:
    turn_ids, void_ids = ([turn.turn for turn in turns] for turns in (record.counts, record.voided))
    digest = hash_record(record, turn_ids, void_ids)
    if not isinstance(logged[-1] if logged else None, MatchOver):
        yield "the log doesn't have the end of the match"
    elif logged[-1] != MatchOver(turn=logged[-1].turn, record=digest):
        yield "the log has another record of the match"
    for entry, following in pairwise(logged):
        if isinstance(entry, MatchOver) and not isinstance(following, TurnVoided):
            yield "the match went on after its end, without a void turn"
