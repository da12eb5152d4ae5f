"""A puzzle. Unlike `games.solver.puzzles`, this module doesn't load the solver."""

from dataclasses import dataclass
from typing import Literal

from games.engine.game import Side

Kind = Literal["win", "safe", "mix"]
Weights = tuple[int, ...]
"""How often of 12 each column is drawn, from the first."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """What one side has to find in a position.

    `answer` is a column, or the place of the perfect one in `mixes`, each from 1. `depth` is the number of
    turns until the decision, 0 for a mix. `tempting` counts the wrong answers that look good one turn deep.
    """

    kind: Kind
    side: Side
    answer: int
    depth: int
    tempting: int
    mixes: tuple[Weights, ...] = ()
