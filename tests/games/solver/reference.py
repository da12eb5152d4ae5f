"""The solver's depth-limited search in plain Python, without any of its shortcuts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt

from games.engine.game import Picks
from games.rules.columns import Grid
from games.rules.simultaneous_captains_mistress import GAME, State
from tests.games.solver.brute_force import WORTH, matrix_value

LINE_STATES = 8**4
COLUMN_STATES = 127
Line = tuple[tuple[int, int], ...]


def search(state: State, depth: int, weights: Sequence[float]) -> float:
    """Return red's value of a state, with the evaluation in place of what is more than `depth` turns away."""
    if state.result != "open":
        return WORTH[state.result]
    if depth == 0:
        return evaluate(state, weights)
    columns = state.grid.open_columns()
    return matrix_value(
        [[search(GAME.resolve(state, Picks(i, j))[0], depth - 1, weights) for j in columns] for i in columns]
    )


def evaluate(state: State, weights: Sequence[float]) -> float:
    """Return the evaluation of a state for red: the sum of the weights of its features, limited to ±1."""
    total = sum(weights[feature] for feature in _features(state.grid, state.token[0].upper()))
    value = total / sqrt(1 + total * total)
    return value if state.token == "red" else -value


def _features(grid: Grid, own: str) -> Iterator[int]:
    numbered: dict[Line, int] = {}
    for line in _lines(len(grid.stacks), grid.rows):
        mirrored = tuple((len(grid.stacks) - 1 - column, row) for column, row in reversed(line))
        cells = mirrored if mirrored in numbered else line
        number = numbered.setdefault(cells, len(numbered))
        yield number * LINE_STATES + _line_state(grid, own, line if cells == line else tuple(reversed(line)))
    after_lines = len(numbered) * LINE_STATES
    states = [_column_state(stack, own) for stack in grid.stacks]
    for column, pair in enumerate(pairwise(states)):
        twin = len(states) - 2 - column
        first, second = pair if column <= twin else reversed(pair)
        yield after_lines + (min(column, twin) * COLUMN_STATES + first) * COLUMN_STATES + second


def _lines(columns: int, rows: int) -> Iterator[Line]:
    for rise in (-1, 0, 1):
        for column in range(columns - 3):
            for row in range(rows):
                if 0 <= row + 3 * rise < rows:
                    yield tuple((column + step, row + step * rise) for step in range(4))


def _line_state(grid: Grid, own: str, line: Line) -> int:
    state = 0
    for column, row in line:
        stack = grid.stacks[column]
        state = state * 8 + (int(stack[row] == own) if row < len(stack) else 2 + row - len(stack))
    return state


def _column_state(stack: str, own: str) -> int:
    pieces = sum(1 << row for row, ball in enumerate(stack) if ball == own)
    return (1 << len(stack)) - 1 + pieces
