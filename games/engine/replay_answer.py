"""The answer of `manage.py replay --json` to one game record, in the format of the conformance cases.

    {"result": ..., "grid": [...], "token": ..., "winning_cells": [[column, row], ...],
     "losing_cells": [...], "turns_played": n, "error": null}

`token` is omitted for a game without one. `error` is null or {"turn": n, "text": ...}: the first turn that
breaks the rules; the other fields then describe the state before it. A line that is not a record of a known
game is answered by {"error": {"line": n, "text": ...}} alone.
"""

import msgspec

from games.engine.game import Cell, Result, Side
from games.engine.record import Replayed


class TurnRefused(msgspec.Struct, frozen=True):
    """The first turn that breaks the rules, from 1, and the reason."""

    turn: int
    text: str


class LineRefused(msgspec.Struct, frozen=True):
    """A line that cannot be played, from 1, and the reason."""

    line: int
    text: str


class ReplayAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The state after the last turn that was played."""

    result: Result
    grid: tuple[str, ...]
    token: Side | msgspec.UnsetType
    winning_cells: tuple[Cell, ...]
    losing_cells: tuple[Cell, ...]
    turns_played: int
    error: TurnRefused | None


class ReplayFailure(msgspec.Struct, frozen=True):
    """The answer to a line that cannot be played at all."""

    error: LineRefused


def build_answer(replayed: Replayed) -> ReplayAnswer:
    """Return the answer for a replayed record."""
    board = replayed.board
    refused = replayed.error_turn
    return ReplayAnswer(
        result=replayed.result,
        grid=board.grid,
        token=board.token or msgspec.UNSET,
        winning_cells=board.winning_cells,
        losing_cells=board.losing_cells,
        turns_played=len(replayed.resolutions),
        error=TurnRefused(refused, replayed.error or "") if refused else None,
    )
