"""The grid of columns into which balls drop, and win detection: lines of four."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from reprlib import repr as short_repr

from games.engine.errors import IllegalPick
from games.engine.game import Board, Cell, Drop, Side, other_side

LINE = 4
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
SIDE_MARK: dict[Side, str] = {"red": "R", "yellow": "Y"}


@dataclass(frozen=True, slots=True)
class Grid:
    """`stacks[i]` is column i + 1 from the bottom up, one letter per ball."""

    rows: int
    stacks: tuple[str, ...]

    @staticmethod
    def empty(columns: int, rows: int) -> "Grid":
        return Grid(rows, ("",) * columns)

    @staticmethod
    def from_board(board: Board) -> "Grid":
        """Return the grid of a board of the kind "columns"."""
        stacks = ("".join(line[i] for line in reversed(board.grid)).rstrip(".") for i in range(board.columns))
        return Grid(board.rows, tuple(stacks))

    def open_columns(self) -> tuple[int, ...]:
        """Return the columns with room, from 1."""
        return tuple(i for i, stack in enumerate(self.stacks, 1) if len(stack) < self.rows)

    def room(self, column: int) -> int:
        return self.rows - len(self.stacks[column - 1])

    def drop(self, column: int, side: Side) -> "Grid":
        """Return the grid after a ball of `side` dropped into `column`, which must have room."""
        i = column - 1
        grown = self.stacks[i] + SIDE_MARK[side]
        return Grid(self.rows, (*self.stacks[:i], grown, *self.stacks[i + 1 :]))

    def height(self, column: int) -> int:
        return len(self.stacks[column - 1])

    def check_pick(self, pick: int, who: str) -> None:
        """Raise IllegalPick unless `pick` is an integer and a column with room."""
        if type(pick) is not int or not 1 <= pick <= len(self.stacks):
            raise IllegalPick(f"{who} picks {short_repr(pick)}: there is no such column")
        if not self.room(pick):
            raise IllegalPick(f"{who} picks {pick}: the column is full")

    def lines(self, side: Side) -> tuple[tuple[Cell, ...], ...]:
        """Return every line of four or more of `side`, each in full length."""
        char = SIDE_MARK[side]
        filled = frozenset(
            (c, r) for c, stack in enumerate(self.stacks, 1) for r, x in enumerate(stack, 1) if x == char
        )
        runs = (_run(filled, cell, step) for cell in sorted(filled) for step in DIRECTIONS)
        return tuple(run for run in runs if len(run) >= LINE)

    def has_line(self, cell: Cell) -> bool:
        """Return whether the ball at `cell` is part of a line of four or more."""
        return any(self._length(rays) >= LINE for rays in _rays(cell, len(self.stacks), self.rows))

    def find_block(self, drops: Iterable[Drop]) -> Drop | None:
        """Return the first of these drops that took a cell in which the other side would win."""
        return next((drop for drop in drops if self._blocks(drop)), None)

    def _blocks(self, drop: Drop) -> bool:
        if drop.row is None or drop.row != self.height(drop.column) + 1:
            return False
        return self.drop(drop.column, other_side(drop.side)).has_line((drop.column, drop.row))

    def _length(self, rays: tuple[tuple[Cell, ...], tuple[Cell, ...], Cell]) -> int:
        ahead, behind, (column, row) = rays
        char = self.stacks[column - 1][row - 1]
        return 1 + self._reach(ahead, char) + self._reach(behind, char)

    def _reach(self, ray: tuple[Cell, ...], char: str) -> int:
        reached = 0
        for column, row in ray:
            stack = self.stacks[column - 1]
            if row > len(stack) or stack[row - 1] != char:
                break
            reached += 1
        return reached

    def render_rows(self) -> tuple[str, ...]:
        """Return the rows from top to bottom, one of `.RY` per cell."""
        padded = [stack.ljust(self.rows, ".") for stack in self.stacks]
        return tuple("".join(stack[row] for stack in padded) for row in reversed(range(self.rows)))

    def board(self, token: Side | None, won: Side | None) -> Board:
        """Return the public board; `won` is the winner."""
        return Board(
            kind="columns",
            columns=len(self.stacks),
            rows=self.rows,
            grid=self.render_rows(),
            token=token,
            winning_cells=self._line_cells(won) if won else (),
            losing_cells=self._line_cells(other_side(won)) if won else (),
        )

    def _line_cells(self, side: Side) -> tuple[Cell, ...]:
        return tuple(sorted({cell for line in self.lines(side) for cell in line}))


def _run(filled: frozenset[Cell], cell: Cell, step: tuple[int, int]) -> tuple[Cell, ...]:
    """Return the line that begins at `cell`; empty if `cell` is not its first."""
    (c, r), (dc, dr) = cell, step
    if (c - dc, r - dr) in filled:
        return ()
    run = []
    while (c, r) in filled:
        run.append((c, r))
        c, r = c + dc, r + dr
    return tuple(run)


@cache
def _rays(cell: Cell, columns: int, rows: int) -> tuple[tuple[tuple[Cell, ...], tuple[Cell, ...], Cell], ...]:
    """Return the three cells on the board ahead of and behind `cell` in each direction, with `cell`."""

    def ray(dc: int, dr: int) -> tuple[Cell, ...]:
        far = ((cell[0] + dc * n, cell[1] + dr * n) for n in range(1, LINE))
        return tuple((c, r) for c, r in far if 1 <= c <= columns and 1 <= r <= rows)

    return tuple((ray(dc, dr), ray(-dc, -dr), cell) for dc, dr in DIRECTIONS)
