"""The analysis of one turn: what best play was, and how the picks and the votes compare. Pure."""

from collections.abc import Iterable, Mapping

import msgspec

from games.engine.game import SIDES, Picks, Side, other_side
from games.solver.judgment import (
    NEVER,
    Quality,
    classify,
    column_losses,
    hindsight_loss,
    judge_crowd,
    winning_chance,
)
from games.solver.solution import ESTIMATE_MARGIN, Mix, Solution

COSTLY: tuple[Quality, ...] = ("inaccuracy", "mistake", "blunder")
MIN_CROWD = 2
"""A single voter is the average member, too."""


class Crowd(msgspec.Struct, frozen=True):
    """How a side's votes did, in winning chance: see `CrowdJudgment`."""

    mean_loss: float
    gain: float
    exploitability: float


class AnalyzedSide(msgspec.Struct, frozen=True, kw_only=True):
    """A side's pick and votes, compared with best play.

    `losses` and `qualities` have a value per open column, by number. An estimate may leave the class open.
    `loss` is the pick's, `hindsight` its
    loss against the opponent's actual pick. All are None without a pick; `crowd` also with under MIN_CROWD
    ballots.
    """

    pick: int | None
    losses: dict[int, float]
    qualities: dict[int, Quality | None]
    hindsight: float | None = None
    crowd: Crowd | None = None

    @property
    def loss(self) -> float | None:
        return None if self.pick is None else self.losses[self.pick]

    @property
    def quality(self) -> Quality | None:
        return None if self.pick is None else self.qualities[self.pick]

    @property
    def is_costly(self) -> bool:
        """Whether the pick was at least an inaccuracy, or an estimate of its loss is above the margin."""
        if self.loss is None:
            return False
        return self.quality in COSTLY if self.quality else self.loss > ESTIMATE_MARGIN


class AnalyzedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn, solved and judged. `sides` has the sides that moved in it.

    `after` is the value for red of the position that followed, None if that takes another turn.
    """

    solution: Solution
    sides: dict[Side, AnalyzedSide]
    after: float | None

    @property
    def swing(self) -> float | None:
        """How much the turn added to red's winning chance, or took from it."""
        return None if self.after is None else (self.after - self.solution.value) / 2

    def mix(self, side: Side) -> Mix:
        return self.solution.red_mix if side == "red" else self.solution.yellow_mix


def analyze_turn(
    solution: Solution, picks: Picks, votes: Mapping[Side, Mapping[int, int]], *, is_complete: bool = True
) -> AnalyzedTurn:
    """Judge what was played in a turn by the solution of the position before it.

    `votes` has the counts by column of the sides that moved in it. `picks` are those of the whole turn: with
    a secret half, also the pick of the other half. `is_complete`: no other half follows.
    """
    return AnalyzedTurn(
        solution=solution,
        sides={side: _analyze_side(solution, side, picks, counts) for side, counts in votes.items()},
        after=_value_after(solution, picks) if is_complete else None,
    )


def _analyze_side(solution: Solution, side: Side, picks: Picks, counts: Mapping[int, int]) -> AnalyzedSide:
    pick, reply = picks.of(side), picks.of(other_side(side))
    losses = column_losses(solution, side)
    judged = None
    if pick is not None and sum(counts.values()) >= MIN_CROWD:
        crowd = judge_crowd(solution, side, counts, pick)
        judged = Crowd(crowd.mean_loss, crowd.gain, crowd.exploitability)
    return AnalyzedSide(
        pick=pick,
        losses=losses,
        qualities=_classify_all(solution, side, losses),
        hindsight=None if pick is None or reply is None else hindsight_loss(solution, side, pick, reply),
        crowd=judged,
    )


def _classify_all(solution: Solution, side: Side, columns: Iterable[int]) -> dict[int, Quality | None]:
    return {column: classify(solution, side, column) for column in columns}


def _value_after(solution: Solution, picks: Picks) -> float | None:
    """Return the matrix entry of the picks. None if a side that was to move did not."""
    mixes = (solution.red_mix, solution.yellow_mix)
    chosen = [picks.of(side) if mix else 1 for side, mix in zip(SIDES, mixes, strict=True)]
    if None in chosen:
        return None
    row, column = (number - 1 for number in chosen if number)
    return solution.matrix[row][column]


def pack_analysis(analysis: AnalyzedTurn) -> bytes:
    """Serialize an analysis, as stored in `TurnAnalysis.packed`."""
    return msgspec.msgpack.encode(analysis)


def unpack_analysis(packed: bytes) -> AnalyzedTurn:
    """Parse the output of `pack_analysis`. Raises msgspec.MsgspecError.

    Estimates and certain wins are judged again: earlier versions misjudged them.
    """
    analysis = msgspec.msgpack.decode(packed, type=AnalyzedTurn)
    sides = {side: _judge_again(analysis.solution, side, judged) for side, judged in analysis.sides.items()}
    return msgspec.structs.replace(analysis, sides=sides)


def _judge_again(solution: Solution, side: Side, judged: AnalyzedSide) -> AnalyzedSide:
    is_won = winning_chance(solution, side) >= 1 - NEVER
    if solution.is_exact and not is_won:
        return judged
    losses = column_losses(solution, side) if is_won else judged.losses
    return msgspec.structs.replace(judged, losses=losses, qualities=_classify_all(solution, side, losses))
