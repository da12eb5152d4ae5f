"""Turning point of a match: the turn since which the winner always had a winning threat."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.engine.game import Board, Cell, Side

LINE = 4
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
SIDE_MARK: dict[Side, str] = {"red": "R", "yellow": "Y"}


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
    columns = range(1, board.columns + 1)
    landings = ((column, _landing(board, column)) for column in columns)
    return tuple(c for c, row in landings if row and _makes_line(board, (c, row), SIDE_MARK[side]))


def line_cells(board: Board, side: Side) -> tuple[Cell, ...]:
    """Return the side's cells that are in a line of four or more, even if the side has not won."""
    char = SIDE_MARK[side]
    cells = ((c, r) for c in range(1, board.columns + 1) for r in range(1, board.rows + 1))
    return tuple(c for c in cells if _char_at(board, c) == char and _makes_line(board, c, char))


def _landing(board: Board, column: int) -> int | None:
    rows = range(1, board.rows + 1)
    return next((row for row in rows if _char_at(board, (column, row)) == "."), None)


def _char_at(board: Board, cell: Cell) -> str:
    column, row = cell
    inside = 1 <= column <= board.columns and 1 <= row <= board.rows
    return board.grid[board.rows - row][column - 1] if inside else ""


def _makes_line(board: Board, cell: Cell, char: str) -> bool:
    return any(1 + _reach(board, cell, s, char) + _reach(board, cell, _back(s), char) >= LINE for s in STEPS)


def _back(step: tuple[int, int]) -> tuple[int, int]:
    return -step[0], -step[1]


def _reach(board: Board, cell: Cell, step: tuple[int, int], char: str) -> int:
    reached, (column, row) = 0, cell
    while _char_at(board, (column := column + step[0], row := row + step[1])) == char:
        reached += 1
    return reached
