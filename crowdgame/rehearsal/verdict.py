"""How a simulated crowd chooses columns: a random mood per team and turn, and some sense of the board."""

from dataclasses import dataclass
from functools import partial
from random import Random

from games.engine.game import Board, Side, other_side
from games.rules.columns import DIRECTIONS, LINE, SIDE_MARK, Grid
from voting.counting.methods import TallyMethod
from voting.counting.methods.voting_method import find_method
from voting.protocol import Turn

WIN_WEIGHT = 60.0
BLOCK_WEIGHT = 30.0
GIFT_FACTOR = 0.15
ATTENTIVE_SHARE = 0.95
BOARD_SHARE = 0.85
FAVORITE_FACTOR = 3.0

Weights = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mood:
    """A team's preferences in one turn: weights by the board, and at random."""

    columns: tuple[int, ...]
    board_weights: Weights
    random_weights: Weights

    def choose(self, rng: Random) -> int:
        weights = self.board_weights if rng.random() < BOARD_SHARE else self.random_weights
        return rng.choices(self.columns, weights)[0]

    def vote(self, rng: Random, method: TallyMethod | None) -> int:
        """Return an encoded choice by the match's voting method."""
        return find_method(method).sample(partial(self.choose, rng), rng)


def draw_mood(board: Board, turn: Turn, side: Side, rng: Random) -> Mood:
    """Draw the mood of the team that plays `side`, which must be to move.

    The crowd cannot read a board of the kind "drawn" (a picture): its mood is purely random.
    """
    columns = turn.legal.red if side == "red" else turn.legal.yellow
    random_weights = _draw_random_weights(board, columns, rng)
    if board.kind == "drawn":
        return Mood(columns, random_weights, random_weights)
    attentive = rng.random() < ATTENTIVE_SHARE
    evaluation = _BoardEvaluation(Grid.from_board(board), side, attentive)
    board_weights = tuple(
        weight * evaluation.score(column) for column, weight in zip(columns, random_weights, strict=True)
    )
    return Mood(columns, board_weights, random_weights)


def _draw_random_weights(board: Board, columns: tuple[int, ...], rng: Random) -> Weights:
    """Prefer the middle, and one random column each turn."""
    middle, favorite = (board.columns + 1) / 2, rng.choice(columns)
    return tuple(
        (FAVORITE_FACTOR if column == favorite else 1.0)
        * rng.uniform(0.5, 1.5)
        / (1 + abs(column - middle) / 2)
        for column in columns
    )


@dataclass(frozen=True, slots=True)
class _BoardEvaluation:
    """A one-move evaluation of the board. An inattentive crowd overlooks the opponent's threats."""

    grid: Grid
    side: Side
    attentive: bool

    def score(self, column: int) -> float:
        after = self.grid.drop(column, self.side)
        cell = (column, after.height(column))
        if after.has_line(cell):
            return WIN_WEIGHT
        if self.attentive and self.grid.drop(column, other_side(self.side)).has_line(cell):
            return BLOCK_WEIGHT
        gift = self.attentive and after.room(column) and self._gives_opponent_win(after, column)
        open_fours = self._score_open_fours(self.side, cell) + self.attentive * self._score_open_fours(
            other_side(self.side), cell
        )
        return (1.0 + open_fours) * (GIFT_FACTOR if gift else 1.0)

    def _gives_opponent_win(self, after: Grid, column: int) -> bool:
        top = after.drop(column, other_side(self.side))
        return top.has_line((column, top.height(column)))

    def _score_open_fours(self, side: Side, cell: tuple[int, int]) -> float:
        """Sum the squares of the marks in each four that `side` can still complete through the `cell`."""
        fours = (self._count_in_four(side, cell, step, back) for step in DIRECTIONS for back in range(LINE))
        return sum(count**2 for count in fours)

    def _count_in_four(self, side: Side, cell: tuple[int, int], step: tuple[int, int], back: int) -> int:
        """Return how many marks of this four are set; 0 if the opponent has one or it leaves the board."""
        count = 0
        for i in range(-back, LINE - back):
            char = _char_at(self.grid, cell[0] + step[0] * i, cell[1] + step[1] * i)
            if char not in (SIDE_MARK[side], "."):
                return 0
            count += char != "."
        return count


def _char_at(grid: Grid, column: int, row: int) -> str:
    if not (1 <= column <= len(grid.stacks) and 1 <= row <= grid.rows):
        return ""
    stack = grid.stacks[column - 1]
    return stack[row - 1] if row <= len(stack) else "."
