"""The positions that the solver understands, read from the states of three games."""

from dataclasses import dataclass, replace
from typing import Any

from games.engine.game import Side, other_side
from games.rules import captains_mistress, simultaneous_captains_mistress, single_selector
from games.rules.columns import SIDE_MARK, Grid

BITS_PER_COLUMN = 7
EXACT_CELLS = 18  # with at most so many free cells, a solution is always exact


@dataclass(frozen=True, slots=True)
class Position:
    """A board with one bit per cell: column c + 1 from bit 7c, the lowest cell first.

    `first` holds the initiative token; in the classic game, it is to move.
    """

    columns: int
    red: int
    yellow: int
    first: Side
    is_classic: bool = False
    reverse_tie: bool = False

    @property
    def free_cells(self) -> int:
        return self.columns * 6 - (self.red | self.yellow).bit_count()

    def is_open(self, column: int) -> bool:
        """Return whether the column, from 0, has room."""
        return not (self.red | self.yellow) >> (column * BITS_PER_COLUMN + 5) & 1

    def equivalents(self) -> frozenset["Position"]:
        """Return the positions whose solution follows from this one's.

        They are this one, its mirror image, and both with the colors exchanged.
        """
        same = self, self.mirrored()
        return frozenset((*same, *(it.exchanged() for it in same)))

    def exchanged(self) -> "Position":
        """Return the position with the colors exchanged."""
        return replace(self, red=self.yellow, yellow=self.red, first=other_side(self.first))

    def mirrored(self) -> "Position":
        """Return the position with the columns in reverse order."""
        return replace(self, red=self._mirror(self.red), yellow=self._mirror(self.yellow))

    def _mirror(self, bits: int) -> int:
        shifts = range(0, self.columns * BITS_PER_COLUMN, BITS_PER_COLUMN)
        column = (1 << BITS_PER_COLUMN) - 1
        return sum((bits >> old & column) << new for old, new in zip(shifts, reversed(shifts), strict=True))


def read_position(state: Any) -> Position | None:
    """Return the position of an open match before its turn, or None for a game that the solver does not know.

    Single Selector is solved as a whole turn in both of its halves: a pick that nobody sees is as good as a
    simultaneous one.
    """
    if isinstance(state, single_selector.State):
        state = state.board
    if isinstance(state, simultaneous_captains_mistress.State):
        return _read(state.grid, state.token, reverse_tie=state.tie == "other")
    if isinstance(state, captains_mistress.State):
        return _read(state.grid, state.mover, is_classic=True)
    return None


def _read(grid: Grid, first: Side, *, is_classic: bool = False, reverse_tie: bool = False) -> Position:
    red, yellow = (_bits(grid, SIDE_MARK[side]) for side in ("red", "yellow"))
    return Position(len(grid.stacks), red, yellow, first, is_classic, reverse_tie)


def _bits(grid: Grid, mark: str) -> int:
    return sum(
        1 << (column * BITS_PER_COLUMN + row)
        for column, stack in enumerate(grid.stacks)
        for row, ball in enumerate(stack)
        if ball == mark
    )
