"""Which turns of a match decided it, by the analyses of all its turns. Pure."""

from collections.abc import Mapping

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn
from games.engine.game import SIDES, Side
from games.solver.judgment import NEVER, winning_chance
from voting import protocol

Analyses = Mapping[int, AnalyzedTurn]
"""The analyses of all turns of a match, by number."""


def find_turning_turn(analyses: Analyses, winner: Side) -> int | None:
    """Return the turn in which the winner's chance rose the most. None if it never rose."""
    rises = {
        number: (analysis.swing or 0) * (1 if winner == "red" else -1)
        for number, analysis in analyses.items()
    }
    turn = max(rises, key=lambda number: rises[number], default=None)
    return None if turn is None or rises[turn] <= NEVER else turn


def find_decisive_mistake(analyses: Analyses, winner: Side | None) -> int | None:
    """Return the turn of the costliest choice of a side that did not win, the last of several.

    None without a costly one.
    """
    losses: dict[int, float] = {}
    for number, analysis in analyses.items():
        for side, choice in analysis.sides.items():
            if side != winner and choice.is_costly:
                losses[number] = max(losses.get(number, 0), choice.loss or 0)
    return max(losses, key=lambda number: (losses[number], number), default=None)


def find_missed_win(analyses: Analyses, winner: Side | None) -> protocol.MissedWin | None:
    """Return the side that did not win although it could have forced a win, and in how many turns."""
    missed = {
        side: sum(
            winning_chance(turn.solution, side) >= 1 - NEVER
            for turn in analyses.values()
            if turn.after is not None
        )
        for side in SIDES
        if side != winner
    }
    side = max(missed, key=lambda side: missed[side])
    return protocol.MissedWin(side=side, turns=missed[side]) if missed[side] else None
