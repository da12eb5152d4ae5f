"""Recount of secret sides: verifies the commitment of each seal and the number of voters on each side."""

from collections.abc import Iterator
from itertools import accumulate

from games.engine.game import SIDES, Side, other_side
from voting.counting.side_changes import EMPTY_COMMITMENT, SidesTurn, commit_turn, side_change_tree
from voting.records.match_record import MatchRecord, RecordedSides, SecretSides, side_count


def deserted_side_at(record: MatchRecord, number: int) -> Side | None:
    """Return the side that everyone had left when turn `number` (from 1) was voted, or None."""
    if record.sides is None or number > len(record.sides.summary.turns):
        return None
    so_far = record.sides.summary.turns[:number]
    held = {"red": so_far[-1].red, "yellow": so_far[-1].yellow}
    left = {"red": sum(turn.to_yellow for turn in so_far), "yellow": sum(turn.to_red for turn in so_far)}
    return next((side for side in SIDES if not held[side] and left[side] and held[other_side(side)]), None)


def find_side_faults(record: MatchRecord) -> Iterator[tuple[int | None, str]]:
    """Yield faults as a turn number (None for the match) and a text.

    Call it for a record with as many turns as counts.
    """
    sides = record.sides
    if sides is None:
        if record.terms.max_side_changes and record.result != "open":
            yield None, "its sides were secret, but `sides` is missing"
        return
    if not len(sides.summary.turns) == len(sides.turns) == len(record.counts):
        yield None, "`sides` must have one entry per turn"
        return
    for number, (summary, turn) in enumerate(zip(sides.summary.turns, sides.turns, strict=True), 1):
        for text in _find_turn_faults(record, number, summary, turn):
            yield number, text
    yield from ((None, text) for text in _find_flow_faults(sides))


def _find_turn_faults(
    record: MatchRecord, number: int, summary: SidesTurn, turn: RecordedSides
) -> Iterator[str]:
    count = record.counts[number - 1]
    counted = {side: side_count(count, side) for side in SIDES}
    red, yellow = ((one.root if one else None) or EMPTY_COMMITMENT.root for one in counted.values())
    if turn.turn_commitment != commit_turn(red, yellow, side_change_tree(count.turn, turn.side_changes)):
        yield "the ballots and side changes do not match `turn_commitment`"
    for side, came in (("red", summary.to_red), ("yellow", summary.to_yellow)):
        listed = sum(to == side for to, _ in turn.side_changes)
        if listed != came:
            yield f"{listed} side changes to {side} are listed, but the record says {came}"
    for side, held in (("red", summary.red), ("yellow", summary.yellow)):
        one = counted[side]  # type: ignore[index]
        if one and len(one.ballots) > held:
            yield f"{side} has {len(one.ballots)} ballots, but only {held} voters"


def _find_flow_faults(sides: SecretSides) -> Iterator[str]:
    turns = sides.summary.turns
    if not turns:
        return
    moved = accumulate(turn.to_red - turn.to_yellow for turn in turns[1:])
    expected = [turns[0].red, *(turns[0].red + come for come in moved)]
    if [turn.red for turn in turns] != expected:
        yield "the side changes do not add up from turn to turn"
    if len({turn.red + turn.yellow for turn in turns}) != 1:
        yield "the number of voters is not the same in every turn"
