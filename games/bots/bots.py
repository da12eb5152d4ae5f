"""Computer opponents. A pick follows from the position, side, strength and seed alone.

The seed is the turn's, and its hash is public before the window. A bot can't have looked at the votes, and
anyone with the solver can recompute its picks after the match.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from games.engine.game import Game, Side, other_side
from games.solver.positions import Position, read_position
from games.solver.solution import Solution

VERSION = 2
"""The version of everything that decides a pick. Records name it."""

ERROR_TEMPERATURE, ANSWER_TEMPERATURE = 0.25, 0.12
SCALE = 1 << 30  # weights are integers, so that every language draws the same column

Row = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Strength:
    """How a bot errs.

    `slips` is the share of turns in which it sees its own chances and overlooks the opponent's replies. With
    `expects_slips` it plays against an opponent who does so, otherwise the equilibrium. `turns` is how far it
    looks ahead; None: as far as the solver does.
    """

    slips: float = 0.0
    expects_slips: bool = False
    turns: int | None = 1


STRENGTHS = {
    1: Strength(0.80, expects_slips=True),
    2: Strength(0.50, expects_slips=True),
    3: Strength(0.22, expects_slips=True),
    4: Strength(),
    5: Strength(turns=None),
}


def pick_action(game: Game[Any], state: Any, side: Side, strength: int, seed: str) -> int:
    """Return the bot's pick in any game: in one without a solver, a legal action drawn by the seed."""
    position = read_position(state)
    if position is not None:
        return bot_pick(position, side, strength, seed)
    legal = game.legal_actions(state, side)
    return legal[_draw([1] * len(legal), _lot(seed, side, "pick"))]


def bot_pick(position: Position, side: Side, strength: int, seed: str) -> int:
    """Return the bot's column, from 1."""
    return 1 + _draw(weigh_columns(position, side, strength, seed), _lot(seed, side, "pick"))


def weigh_columns(position: Position, side: Side, strength: int, seed: str) -> list[int]:
    """Return how likely the bot picks each column, as whole numbers.

    Machines may differ in the last bit of a float, which rarely changes a weight, and then by 1. A pick
    differs only if its lot, one of 2^30, also falls on the boundary of two columns: less than once in 2^40.
    """
    plays = STRENGTHS[strength]
    slips = _lot(seed, side, "slip") < int(plays.slips * SCALE)
    solution = _solve(position, plays, slips=slips)
    own = _payoffs(solution, side)
    if slips:
        weights: Sequence[float] = _respond(own, [1.0] * len(own[0]), ERROR_TEMPERATURE)
    elif plays.expects_slips:
        theirs = _payoffs(solution, other_side(side))
        weights = _respond(
            own, _respond(theirs, [1.0] * len(theirs[0]), ERROR_TEMPERATURE), ANSWER_TEMPERATURE
        )
    else:
        weights = solution.red_mix if side == "red" else solution.yellow_mix
    return [round(weight * SCALE) for weight in weights]


def _solve(position: Position, strength: Strength, *, slips: bool) -> Solution:
    # It loads WebAssembly, which the processes that only know the names of the strengths don't need.
    from games.solver.solver import solve_depth, solve_for_bots  # noqa: PLC0415

    if strength.turns is None:
        return solve_for_bots(position)
    # In the classic game a turn is one ball, so the opponent's reply is the turn after.
    sees_reply = position.is_classic and not slips
    return solve_depth(position, strength.turns + sees_reply)


def _lot(seed: str, side: Side, purpose: str) -> int:
    """Return a number below SCALE."""
    digest = sha256(f"{seed}:{side}:bot:{purpose}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % SCALE


def _payoffs(solution: Solution, side: Side) -> list[Row]:
    """Return the side's values of its columns, each against the opponent's columns."""
    if side == "red":
        return list(solution.matrix)
    columns = zip(*solution.matrix, strict=True)
    return [[None if value is None else -value for value in column] for column in columns]


def _respond(rows: Sequence[Row], against: Sequence[float], heat: float) -> list[float]:
    """Return the softmax weight of each row, by its mean against an opponent with these weights."""
    means = [_mean(row, against) for row in rows]
    best = max(mean for mean in means if mean is not None)
    return [0.0 if mean is None else math.exp((mean - best) / heat) for mean in means]


def _mean(row: Row, weights: Sequence[float]) -> float | None:
    known = [(weight, value) for weight, value in zip(weights, row, strict=True) if value is not None]
    total = sum(weight for weight, _ in known)
    return sum(weight * value for weight, value in known) / total if total else None


def _draw(weights: Sequence[int], lot: int) -> int:
    """Return the index that the lot, below SCALE, falls on."""
    left = lot * sum(weights) // SCALE
    for index, weight in enumerate(weights):
        if left < weight:
            return index
        left -= weight
    raise ValueError("there is nothing to draw")
