"""What a crowd fancies: a changing mood a team and turn, with a little sense for the board."""

from dataclasses import dataclass
from random import Random

from games.engine.game import Board, Side, other
from games.rules.columns import DIRECTIONS, LETTER, LINE, Cabinet
from voting.counting.choices import MOST_RANKED, ranking_of, set_of
from voting.counting.types import TallyMethod
from voting.protocol import Turn

WIN = 60.0
BLOCK = 30.0
GIFT = 0.15
ATTENTIVE = 0.95
SENSIBLE = 0.85
FAVOURED = 3.0

Weights = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Mood:
    """How a team leans in one turn: by the board (`sense`) and by fancy (`gut`)."""

    columns: tuple[int, ...]
    sense: Weights
    gut: Weights

    def choose(self, rng: Random) -> int:
        weights = self.sense if rng.random() < SENSIBLE else self.gut
        return rng.choices(self.columns, weights)[0]

    def vote(self, rng: Random, method: TallyMethod | None) -> int:
        """In the match's way: a column, all that are liked, or up to three in their order."""
        liked = [self.choose(rng)]
        if method in ("approval", "instant_runoff"):
            liked += [self.choose(rng) for _ in range(rng.randrange(MOST_RANKED))]
        columns = tuple(dict.fromkeys(liked))
        return set_of(columns) if method == "approval" else ranking_of(columns)


def mood_of(board: Board, turn: Turn, side: Side, rng: Random) -> Mood:
    """The mood of the team that plays `side`, which must be to move; of what it cannot read, all is fancy."""
    columns = turn.legal.red if side == "red" else turn.legal.yellow
    gut = _gut(board, columns, rng)
    if board.face == "drawn":
        return Mood(columns, gut, gut)
    attentive = rng.random() < ATTENTIVE
    sight = _Sight(cabinet_of(board), side, attentive)
    sense = tuple(fancy * sight.worth(column) for column, fancy in zip(columns, gut, strict=True))
    return Mood(columns, sense, gut)


def cabinet_of(board: Board) -> Cabinet:
    stacks = ("".join(line[i] for line in reversed(board.grid)).rstrip(".") for i in range(board.columns))
    return Cabinet(board.rows, tuple(stacks))


def _gut(board: Board, columns: tuple[int, ...], rng: Random) -> Weights:
    """The middle is popular, and each turn has a column that catches on."""
    middle, favourite = (board.columns + 1) / 2, rng.choice(columns)
    return tuple(
        (FAVOURED if column == favourite else 1.0) * rng.uniform(0.5, 1.5) / (1 + abs(column - middle) / 2)
        for column in columns
    )


@dataclass(frozen=True, slots=True)
class _Sight:
    """What one sees at a glance; an inattentive crowd overlooks what the other side is up to."""

    cabinet: Cabinet
    side: Side
    attentive: bool

    def worth(self, column: int) -> float:
        after = self.cabinet.drop(column, self.side)
        cell = (column, after.height(column))
        if after.has_line(cell):
            return WIN
        if self.attentive and self.cabinet.drop(column, other(self.side)).has_line(cell):
            return BLOCK
        gift = self.attentive and after.room(column) and self._given(after, column)
        hopes = self._hopes(self.side, cell) + self.attentive * self._hopes(other(self.side), cell)
        return (1.0 + hopes) * (GIFT if gift else 1.0)

    def _given(self, after: Cabinet, column: int) -> bool:
        top = after.drop(column, other(self.side))
        return top.has_line((column, top.height(column)))

    def _hopes(self, side: Side, cell: tuple[int, int]) -> float:
        """Fours of `side` through the empty `cell` that are still possible, by how much of each stands."""
        fours = (self._standing(side, cell, step, back) for step in DIRECTIONS for back in range(LINE))
        return sum(standing**2 for standing in fours)

    def _standing(self, side: Side, cell: tuple[int, int], step: tuple[int, int], back: int) -> int:
        """How many of this four stand; 0 if one is the other side's or off the board."""
        standing = 0
        for i in range(-back, LINE - back):
            letter = _letter(self.cabinet, cell[0] + step[0] * i, cell[1] + step[1] * i)
            if letter not in (LETTER[side], "."):
                return 0
            standing += letter != "."
        return standing


def _letter(cabinet: Cabinet, column: int, row: int) -> str:
    if not (1 <= column <= len(cabinet.stacks) and 1 <= row <= cabinet.rows):
        return ""
    stack = cabinet.stacks[column - 1]
    return stack[row - 1] if row <= len(stack) else "."
