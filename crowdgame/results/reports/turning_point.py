"""Turning point of a match: the turn since which the winner always had a winning threat."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.engine.game import Board, Side
from games.rules.columns import Grid


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """After `turn`, and after each later turn but the last, the winner had a threat.

    `threats` are the winning columns after `turn`. `certain_since` is the first turn since which the winner
    also held the token. The token's holder drops first, so the other side can't block the column.
    """

    turn: int
    threats: tuple[int, ...]
    certain_since: int | None


def find_turning_point(winner: Side, boards: Sequence[Board]) -> TurningPoint | None:
    """Return the turning point. `boards` are the boards after each turn; the last is won. None if empty."""
    if not boards:
        return None
    before = boards[:-1]
    turn = len(boards)
    while turn > 1 and find_threats(before[turn - 2], winner):
        turn -= 1
    threats = find_threats(before[turn - 1], winner) if turn < len(boards) else ()
    return TurningPoint(turn, threats, _certain_since(winner, before, turn))


def _certain_since(winner: Side, before: Sequence[Board], turn: int) -> int | None:
    first = None
    for number in range(len(before), turn - 1, -1):
        if before[number - 1].token != winner:
            break
        first = number
    return first


def find_threats(board: Board, side: Side) -> tuple[int, ...]:
    """Return the columns in which one more ball of `side` completes a line of four."""
    grid = Grid.from_board(board)
    after = {column: grid.drop(column, side) for column in grid.open_columns()}
    return tuple(column for column, grown in after.items() if grown.has_line((column, grown.height(column))))
