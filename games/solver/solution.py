"""The solution of a turn: its value, an equilibrium, and what each pair of columns is worth."""

from dataclasses import dataclass, replace

ESTIMATE_MARGIN = 0.15
"""How far an estimated winning chance or loss is off at most, in 95% of cases (`make bench-solver`)."""

Mix = tuple[float, ...]
"""The probability of each column, from the first; zero for a full one."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A turn of a game of columns, solved for both sides.

    Values are red's: 1 is a win for red, -1 for yellow, 0 a draw; in between, the mean result of best play.
    `matrix[i][j]` is the value if red picks column i + 1 and yellow column j + 1, None if one of them is
    full. If only one side moves, the matrix has one row or column for the other, whose mix is empty.
    `is_exact`: every number follows from the rules alone. Otherwise the search was `depth` turns deep, and an
    evaluation judged what lies beyond.
    """

    value: float
    red_mix: Mix
    yellow_mix: Mix
    matrix: tuple[tuple[float | None, ...], ...]
    is_exact: bool
    depth: int

    @property
    def margin(self) -> float:
        """How far the value may be off: 0 if exact, or if a win is certain, since estimates lie between."""
        return 0.0 if self.is_exact or abs(self.value) == 1 else ESTIMATE_MARGIN

    @property
    def is_conclusive(self) -> bool:
        """Whether it tells good columns from bad ones.

        If only one side moves, an estimate gives most columns nearly the same value.
        """
        return self.is_exact or bool(self.red_mix and self.yellow_mix)

    def mirrored(self) -> "Solution":
        """Return the solution of the mirrored position."""
        matrix = tuple(row[::-1] for row in reversed(self.matrix))
        return replace(self, red_mix=self.red_mix[::-1], yellow_mix=self.yellow_mix[::-1], matrix=matrix)

    def exchanged(self) -> "Solution":
        """Return the solution of the position with the colors exchanged. No zero becomes negative."""
        matrix = tuple(
            tuple(None if value is None else 0.0 - value for value in column)
            for column in zip(*self.matrix, strict=True)
        )
        return replace(
            self, value=0.0 - self.value, red_mix=self.yellow_mix, yellow_mix=self.red_mix, matrix=matrix
        )
