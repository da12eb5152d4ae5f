"""Count the secret sides of a match again: what was committed to at each seal, and who is left where."""

from collections.abc import Iterator
from itertools import accumulate

from games.engine.game import SIDES, Side, other
from voting.counting.sides import NOBODY, SidesTurn, crossings_tree, whole_of
from voting.records.match_record import MatchRecord, SecretSides, TurnSides, count_of


def deserted_in(record: MatchRecord, number: int) -> Side | None:
    """The side that everybody had left when this turn was voted."""
    if record.sides is None or number > len(record.sides.told.turns):
        return None
    so_far = record.sides.told.turns[:number]
    held = {"red": so_far[-1].red, "yellow": so_far[-1].yellow}
    left = {"red": sum(turn.to_yellow for turn in so_far), "yellow": sum(turn.to_red for turn in so_far)}
    return next((side for side in SIDES if not held[side] and left[side] and held[other(side)]), None)


def faults_of_sides(record: MatchRecord) -> Iterator[tuple[int | None, str]]:
    """Turn, if it is about one, and text. Call it for a record with as many turns as counts."""
    sides = record.sides
    if sides is None:
        if record.terms.defections and record.result != "open":
            yield None, "its sides were secret, and nothing tells of them"
        return
    if not len(sides.told.turns) == len(sides.turns) == len(record.counts):
        yield None, "its secret sides are not told turn by turn"
        return
    for number, (told, turn) in enumerate(zip(sides.told.turns, sides.turns, strict=True), 1):
        for text in _faults_of_turn(record, number, told, turn):
            yield number, text
    yield from ((None, text) for text in _faults_of_flow(sides))


def _faults_of_turn(record: MatchRecord, number: int, told: SidesTurn, turn: TurnSides) -> Iterator[str]:
    count = record.counts[number - 1]
    counted = {side: count_of(count, side) for side in SIDES}
    red, yellow = ((one.root if one else None) or NOBODY.root for one in counted.values())
    if turn.whole != whole_of(red, yellow, crossings_tree(count.turn, turn.crossed)):
        yield "ballots and changes of side are not those that were committed to in `whole`"
    for side, came in (("red", told.to_red), ("yellow", told.to_yellow)):
        listed = sum(to == side for to, _ in turn.crossed)
        if listed != came:
            yield f"{listed} changed over to {side}, and the record says {came}"
    for side, held in (("red", told.red), ("yellow", told.yellow)):
        one = counted[side]  # type: ignore[index]
        if one and len(one.ballots) > held:
            yield f"{len(one.ballots)} voted for {side}, and the record says that {held} were there"


def _faults_of_flow(sides: SecretSides) -> Iterator[str]:
    turns = sides.told.turns
    if not turns:
        return
    moved = accumulate(turn.to_red - turn.to_yellow for turn in turns[1:])
    due = [turns[0].red, *(turns[0].red + come for come in moved)]
    if [turn.red for turn in turns] != due:
        yield "the changes of side do not lead from turn to turn"
    if len({turn.red + turn.yellow for turn in turns}) != 1:
        yield "the two sides are not of as many people in every turn"
