"""Recount of what happened besides the counted ballots: lost ballot boxes, replaced seals and void turns."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from voting.counting.commitments import draws_version
from voting.records.match_record import MatchRecord, PublishedSeal, TurnCount, VoidedTurn
from voting.terms import MatchState
from voting.transparency.entries import BACKUP_EPOCH_LEAP

SEED = re.compile(r"[0-9a-f]{32}")
NO_CAUSE = "a seal that was replaced without a cause"


def find_history_faults(record: MatchRecord) -> Iterator[tuple[int | None, str]]:
    """Yield faults as a turn number (None for the match) and a text.

    Call it for a record with as many turns as counts.
    """
    for number, count in enumerate(record.counts, 1):
        yield from ((number, text) for text in _find_turn_faults(count))
        if record.lists_seals:
            yield from ((number, text) for text in _find_seal_faults(record, number))
        elif _have_same_time(count.void_seals, count.sealed_at):
            yield number, "a void seal has the time of another seal"
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
    if not record.lists_seals and record.counts:
        yield "whether seals were replaced, which a record lists from version 4 on"
    replaced = [f"turn {number}" for number, count in enumerate(record.counts, 1) if len(count.seals) > 1]
    if replaced:
        yield f"whether phones saw why a seal was replaced in {', '.join(replaced)}"
    if record.voided:
        ids = ", ".join(str(void.turn) for void in record.voided)
        yield f"the ballots of void turns, and why they are void (ids {ids})"


def _find_turn_faults(count: TurnCount) -> Iterator[str]:
    from_backup, lost = count.epoch > BACKUP_EPOCH_LEAP, count.epoch > 1
    if from_backup != (count.restored == "backup") or lost != (count.restored is not None):
        yield "`restored` does not fit its epoch"


def _find_seal_faults(record: MatchRecord, number: int) -> Iterator[str]:
    seals = record.counts[number - 1].seals
    if seals[-1:] != (_counted_seal(record, number),):
        yield "the seal published last is not the one that counts"
    if _have_same_time(seals):
        yield "a void seal has the time of another seal"
    if not _have_causes(seals):
        yield f"it has {NO_CAUSE}"


def _counted_seal(record: MatchRecord, number: int) -> PublishedSeal | None:
    """Return the seal that follows from the count; None if the turn was never sealed."""
    count = record.counts[number - 1]
    if count.sealed_at is None:
        return None
    seal = PublishedSeal(at=count.sealed_at, epoch=count.epoch)
    if record.sides:
        commitments = [turn.turn_commitment for turn in record.sides.turns[number - 1 : number]]
        return replace(seal, turn_commitment=commitments[0] if commitments else None)
    red, yellow = (counted and counted.root for counted in (count.red, count.yellow))
    return replace(seal, red=red, yellow=yellow)


def _have_same_time(seals: Sequence[PublishedSeal], *others: int | None) -> bool:
    times = [*(seal.at for seal in seals), *others]
    return len(set(times)) < len(times)


def _have_causes(seals: Sequence[PublishedSeal]) -> bool:
    """Return whether each seal but the last has a cause why another one replaced it.

    A lost ballot box begins a new epoch, and added time doesn't.
    """
    return all(
        seal.void is not None
        and (seal.void.reason == "box_lost") == (seal.void.epoch > seal.epoch)
        and seal.epoch <= seal.void.epoch <= following.epoch
        for seal, following in pairwise(seals)
    )


def _find_void_faults(record: MatchRecord, void: VoidedTurn) -> Iterator[str]:
    if any(void.turn == count.turn for count in record.counts):
        yield "also counts"
    if void.number <= len(record.counts) and void.turn > record.counts[void.number - 1].turn:
        yield f"is later than turn {void.number}, which replaced it"
    if not SEED.fullmatch(void.seed) or draws_version(void.seed, void.lot) is None:
        yield "has a seed that does not match its commitment `lot`"
    if (void.voided_at is None) != (void.reason is None):
        yield "has only one of `voided_at` and `reason`"
    if record.lists_seals and not _have_causes(void.seals):
        yield f"has {NO_CAUSE}"
