"""Values straight from the rules: every joint action of every turn to the end.

It shares no code with the solver: turns are resolved by `games.rules`, and matrix games are solved by a
simplex method of its own, in the form of Dantzig's dictionary.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from games.engine.game import Game, Picks, Result

WORTH: dict[Result, float] = {"red": 1.0, "yellow": -1.0, "draw": 0.0}
TINY = 1e-12

Matrix = Sequence[Sequence[float]]


class BruteForce:
    """Values and matrices of one game's states, each computed once."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self.value = cache(self._find_value)

    def matrix(self, state: Any) -> Matrix:
        """Return the value for red of each pair of legal actions."""
        reds, yellows = (self._game.legal_actions(state, side) or (None,) for side in ("red", "yellow"))
        return [[self.value(self._game.resolve(state, Picks(i, j))[0]) for j in yellows] for i in reds]

    def _find_value(self, state: Any) -> float:
        result = self._game.result(state)
        return matrix_value(self.matrix(state)) if result == "open" else WORTH[result]


def matrix_value(matrix: Matrix) -> float:
    """Return the value of a matrix game for the row player, who maximizes."""
    safe = max(min(row) for row in matrix)
    if safe >= min(map(max, zip(*matrix, strict=True))) - TINY:
        return safe
    shift = 1 - min(map(min, matrix))
    return 1 / _maximize_sum([[cell + shift for cell in row] for row in matrix]) - shift


def _maximize_sum(matrix: Matrix) -> float:
    """Return the largest sum of y >= 0 with A y <= 1 in each row, for a matrix A of positive numbers."""
    width = len(matrix[0])
    rows = [[*(-cell for cell in row), 1.0] for row in matrix]  # slack = 1 - A y
    goal = [*[1.0] * width, 0.0]
    while (entering := max(range(width), key=lambda j: goal[j])) is not None and goal[entering] > TINY:
        leaving = min(
            (i for i, row in enumerate(rows) if row[entering] < -TINY),
            key=lambda i: rows[i][-1] / -rows[i][entering],
        )
        _pivot(rows, goal, leaving, entering)
    return goal[-1]


def _pivot(rows: list[list[float]], goal: list[float], leaving: int, entering: int) -> None:
    """Exchange the variable of row `leaving` and the variable of column `entering`."""
    pivot = rows[leaving][entering]
    new = [-cell / pivot for cell in rows[leaving]]
    new[entering] = 1 / pivot
    for row in (*(row for i, row in enumerate(rows) if i != leaving), goal):
        factor = row[entering]
        row[entering] = 0.0
        for j, cell in enumerate(new):
            row[j] += factor * cell
    rows[leaving] = new
