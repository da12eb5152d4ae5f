"""How good the columns of a turn were for each side, against best play and in hindsight.

Losses are in winning chance: from 0, the best, to 1. A winning chance is half of one plus the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from games.engine.game import Side
from games.solver.solution import ESTIMATE_MARGIN, Mix, Solution

Quality = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
"""The class of a column by what it costs.

Values:
    best: Up to 2 percentage points of winning chance, or part of the equilibrium.
    good: Up to 5.
    inaccuracy: Up to 10.
    mistake: Up to 20.
    blunder: More than 20.
"""

LIMITS: tuple[tuple[float, Quality], ...] = (
    (0.02, "best"),
    (0.05, "good"),
    (0.10, "inaccuracy"),
    (0.20, "mistake"),
)
NEVER = 1e-9  # a smaller chance or difference is a rounding error


@dataclass(frozen=True, slots=True)
class CrowdJudgment:
    """How a side's votes did.

    `mean_loss` is the loss of the average voter. `gain` is that minus the loss of the pick: above 0, the
    crowd was wiser than its average member. `exploitability` is what a perfect opponent would win against a
    side that draws one of these votes.
    """

    mean_loss: float
    gain: float
    exploitability: float


def winning_chance(solution: Solution, side: Side) -> float:
    """Return the winning chance of a side with best play of both; a draw counts half."""
    return _chance(solution.value, side)


def column_losses(solution: Solution, side: Side) -> dict[int, float]:
    """Return what each open column, from 1, costs against an opponent who plays the equilibrium.

    In a lost position each reply is part of an equilibrium. So a column of a certain winner costs what the
    best reply to it takes.
    """
    payoffs = _payoffs(solution, side)
    replies = _mix(solution, "yellow" if side == "red" else "red")
    best = winning_chance(solution, side)
    if best >= 1 - NEVER:
        return {c: best - min(chance for chance in row if chance is not None) for c, row in payoffs.items()}
    return {column: max(0.0, best - _mean(row, replies)) for column, row in payoffs.items()}


def hindsight_loss(solution: Solution, side: Side, pick: int, reply: int) -> float:
    """Return how much better the best column would have been against the opponent's actual column."""
    payoffs = {column: row[reply - 1] for column, row in _payoffs(solution, side).items()}
    known = {column: chance for column, chance in payoffs.items() if chance is not None}
    return max(known.values()) - known[pick]


def classify(solution: Solution, side: Side, column: int) -> Quality | None:
    """Return the class of a column. One that an exact equilibrium plays is never worse than the best.

    None if the margin of an estimate allows more than one class. A column that keeps or loses a certain win
    is no estimate.
    """
    if solution.is_exact and _mix(solution, side)[column - 1] > NEVER:
        return "best"
    loss = column_losses(solution, side)[column]
    is_certain = solution.is_exact or (solution.margin == 0 and min(loss, 1 - loss) <= NEVER)
    margin = 0.0 if is_certain else ESTIMATE_MARGIN
    lowest, highest = _class_of(loss - margin), _class_of(loss + margin)
    return lowest if lowest == highest else None


def _class_of(loss: float) -> Quality:
    return next((quality for limit, quality in LIMITS if loss <= limit + NEVER), "blunder")


def judge_crowd(solution: Solution, side: Side, votes: Mapping[int, float], pick: int) -> CrowdJudgment:
    """Judge a side's votes, by column, and its pick. Raises ValueError without a vote."""
    total = sum(votes.values())
    if not total:
        raise ValueError("nobody has voted")
    losses = column_losses(solution, side)
    mean_loss = sum(losses[column] * count for column, count in votes.items()) / total
    return CrowdJudgment(
        mean_loss=mean_loss,
        gain=mean_loss - losses[pick],
        exploitability=_exploitability(
            solution, side, {column: count / total for column, count in votes.items()}
        ),
    )


def _exploitability(solution: Solution, side: Side, shares: Mapping[int, float]) -> float:
    payoffs = _payoffs(solution, side)
    replies = range(len(next(iter(payoffs.values()))))
    worst = min(
        sum(share * (payoffs[column][reply] or 0) for column, share in shares.items())
        for reply in replies
        if all(row[reply] is not None for row in payoffs.values())
    )
    return max(0.0, winning_chance(solution, side) - worst)


def _payoffs(solution: Solution, side: Side) -> dict[int, tuple[float | None, ...]]:
    """Return the winning chance of a side by its own open column, against each column of the other."""
    matrix = solution.matrix if side == "red" else tuple(zip(*solution.matrix, strict=True))
    return {
        column: tuple(None if value is None else _chance(value, side) for value in row)
        for column, row in enumerate(matrix, 1)
        if set(row) != {None}
    }


def _mix(solution: Solution, side: Side) -> Mix:
    """Return the side's mix; that of a side that is not to move has one entry."""
    return (solution.red_mix if side == "red" else solution.yellow_mix) or (1.0,)


def _mean(row: Sequence[float | None], mix: Mix) -> float:
    return sum(chance * value for value, chance in zip(row, mix, strict=True) if value is not None)


def _chance(value: float, side: Side) -> float:
    return (1 + (value if side == "red" else -value)) / 2
