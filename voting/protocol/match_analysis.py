"""What the analysis found: of the last turn, and of a match that has ended."""

import msgspec

from games.engine.game import Board, Side
from games.solver.judgment import Quality
from voting.counting.types import Column, Count, Hash
from voting.protocol.fields import Id


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a side's choice was worth.

    Attributes:
        side: The side.
        column: Its choice.
        quality: The class of the choice. Null if an estimate allows more than one.
        loss: What the choice cost in winning chance, from 0 to 1.
        held: A column that would have kept the winning chance, of several the one with the most votes. Null
            unless the choice was at least an inaccuracy, or an estimate of its loss is above the margin.
        share: The share of the side's voters who voted for `held`, from 0 to 1. Null if counts are hidden.
    """

    side: Side
    column: Column
    quality: Quality | None
    loss: float = 0.0
    held: Column | None = None
    share: float | None = None


class DecisiveMistake(msgspec.Struct, frozen=True, kw_only=True):
    """The choice that cost the loser the most; after a draw, the costliest of both sides.

    Attributes:
        number: The number of the turn.
        verdict: The choice.
        board: The board before it.
        before: Red's winning chance before the turn, from 0 to 1.
        after: The same after it. Null if a side did not move.
        margin: How far these chances and the loss may be off. 0 if they are exact.
    """

    number: Id
    verdict: Verdict
    board: Board
    before: float
    after: float | None
    margin: float = 0.0


class MissedWin(msgspec.Struct, frozen=True, kw_only=True):
    """A side could have forced a win, but did not win.

    Attributes:
        side: The side.
        turns: In how many turns it could have done so.
    """

    side: Side
    turns: Count


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A voter whose votes cost their team the least over a match.

    Attributes:
        hash: SHA-256 of `crowdgame judge:`, `turn` of the analysis, `:` and the second part of the voter's
            `token`, which are separated by dots. Nobody else can tell who it is.
        name: The nickname. Empty if others don't see one.
    """

    hash: Hash
    name: str = ""


class MatchAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """What decided a match.

    Attributes:
        turning: The turn in which the winner's chance rose the most. Null without a winner.
        mistake: The decisive mistake. Null without one.
        missed: The missed win. Null without one.
        judges: The three best judges, the best first. Empty if hidden, or if too few voted.
    """

    turning: Id | None = None
    mistake: DecisiveMistake | None = None
    missed: MissedWin | None = None
    judges: tuple[Judge, ...] = ()


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """How good the columns of the turn resolved last were. It tells nothing about those of the next.

    Attributes:
        turn: Identifies the turn.
        before: Red's winning chance before the turn, from 0 to 1.
        after: The same after it. Null if a side did not move.
        margin: How far these chances and the losses may be off, in 19 of 20 cases. 0 if they are exact.
        verdicts: The choice of each side that made one, the costliest first.
        red_classes: The class of each column for red, from the first; null for a full one, or if an estimate
            allows more than one. Empty if red did not move.
        yellow_classes: The same for yellow.
        red_mix: How often a perfect mix of red plays each column, in percent. Empty if red did not move.
        yellow_mix: The same for yellow.
        match: What decided the match, once it has ended and all its turns are analyzed.
    """

    turn: Id
    before: float
    after: float | None
    margin: float = 0.0
    verdicts: tuple[Verdict, ...]
    red_classes: tuple[Quality | None, ...]
    yellow_classes: tuple[Quality | None, ...]
    red_mix: tuple[Count, ...]
    yellow_mix: tuple[Count, ...]
    match: MatchAnalysis | None = None
