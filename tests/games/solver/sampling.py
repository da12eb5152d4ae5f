"""Positions to solve: reached by random columns, or by play that is good most of the time."""

from dataclasses import dataclass
from random import Random
from typing import Any

from games.engine.game import SIDES, Game, Picks
from games.engine.registry import find_game
from games.solver.positions import Position, read_position
from games.solver.solver import solve

SIMULTANEOUS = "simultaneous-captains-mistress"
SINGLE_SELECTOR = "single-selector"
CLASSIC = "captains-mistress"
FEW_NODES = 1
BLUNDERS = 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """A state of an open match before a turn, not between the halves of one."""

    game: Game[Any]
    state: Any

    @property
    def position(self) -> Position:
        position = read_position(self.state)
        assert position is not None
        return position


def random_sample(slug: str, free_cells: int, random: Random) -> Sample:
    """Return a position with at most `free_cells`, after random columns with random options."""
    options: dict[str, Any] = {"columns": random.choice((6, 7))}
    options["first" if slug == CLASSIC else "token"] = random.choice(SIDES)
    if slug != CLASSIC:
        options["tie"] = random.choice(("holder", "other"))
    return _play(slug, options, free_cells, random, blunders=1)


def played_sample(free_cells: int, random: Random) -> Sample:
    """Return a position of the ordinary game with at most `free_cells`, after mostly good columns."""
    return _play(SIMULTANEOUS, {"token": random.choice(SIDES)}, free_cells, random, blunders=BLUNDERS)


def _play(slug: str, options: dict[str, Any], free_cells: int, random: Random, *, blunders: float) -> Sample:
    game = find_game(slug)
    while True:
        state = game.start(game.options(**options))
        while game.result(state) == "open":
            sample = Sample(game, state)
            if sample.position.free_cells <= free_cells and not getattr(state, "is_chosen", False):
                return sample
            state = game.resolve(state, _draw_picks(sample, blunders, random))[0]


def _draw_picks(sample: Sample, blunders: float, random: Random) -> Picks:
    solution = solve(sample.position, FEW_NODES) if blunders < 1 else None
    picks: dict[str, int] = {}
    for side, mix in zip(
        SIDES, (solution.red_mix, solution.yellow_mix) if solution else ((), ()), strict=True
    ):
        legal = sample.game.legal_actions(sample.state, side)
        if legal and (solution is None or random.random() < blunders):
            picks[side] = random.choice(legal)
        elif legal:
            picks[side] = random.choices(legal, [mix[column - 1] for column in legal])[0]
    return Picks(**picks)
