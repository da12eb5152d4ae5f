"""Recount of what happened besides the counted ballots: lost ballot boxes, void seals and void turns."""

import re
from collections.abc import Iterator

from voting.counting.commitments import commit_lot
from voting.records.match_record import BACKUP_EPOCH_LEAP, MatchRecord, TurnCount, VoidedTurn
from voting.terms import MatchState

SEED = re.compile(r"[0-9a-f]{32}")


def find_history_faults(record: MatchRecord) -> Iterator[tuple[int | None, str]]:
    """Yield faults as a turn number (None for the match) and a text.

    Call it for a record with as many turns as counts.
    """
    for number, count in enumerate(record.counts, 1):
        yield from ((number, text) for text in _find_turn_faults(count))
    seeds = {count.seed: "a turn that counts" for count in record.counts}
    last = 0
    for void in record.voided:
        place = f"the void turn {void.turn}"
        if void.turn <= last:
            yield None, f"{place} is not listed in the order of the ids"
        last = void.turn
        yield from ((None, f"{place} {text}") for text in _find_void_faults(record, void))
        if void.seed in seeds:
            yield None, f"{place} has the seed of {seeds[void.seed]}"
        seeds[void.seed] = "another void turn"
    if record.state is not None and (record.state == MatchState.ENDED) != (record.result != "open"):
        yield None, f"the result is {record.result}, but `state` is {record.state}"


def find_history_gaps(record: MatchRecord) -> Iterator[str]:
    """Yield what the history of a record without faults can't prove."""
    restored = [f"turn {number}" for number, count in enumerate(record.counts, 1) if count.epoch > 1]
    if restored:
        yield f"whether all ballots came back after the ballot box was lost in {', '.join(restored)}"
    if record.voided:
        ids = ", ".join(str(void.turn) for void in record.voided)
        yield f"the ballots of void turns, and why they are void (ids {ids})"


def _find_turn_faults(count: TurnCount) -> Iterator[str]:
    from_backup, lost = count.epoch > BACKUP_EPOCH_LEAP, count.epoch > 1
    if from_backup != (count.restored == "backup") or lost != (count.restored is not None):
        yield "`restored` does not fit its epoch"
    times = [seal.at for seal in count.void_seals]
    if len({*times, count.sealed_at}) <= len(times):
        yield "a void seal has the time of another seal"


def _find_void_faults(record: MatchRecord, void: VoidedTurn) -> Iterator[str]:
    if any(void.turn == count.turn for count in record.counts):
        yield "also counts"
    if void.number <= len(record.counts) and void.turn > record.counts[void.number - 1].turn:
        yield f"is later than turn {void.number}, which replaced it"
    if not SEED.fullmatch(void.seed) or commit_lot(void.seed) != void.lot:
        yield "has a seed that does not match its commitment `lot`"
    if (void.voided_at is None) != (void.reason is None):
        yield "has only one of `voided_at` and `reason`"
