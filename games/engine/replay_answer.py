"""What a replay tells of one line of game records, in the shape of the conformance cases.

    {"result": ..., "grid": [...], "token": ..., "winning_cells": [[column, row], ...],
     "turns_played": n, "error": null}

`token` is left out by a game without one. `error` is null, or {"turn": n, "text": ...}: the first
turn the rules refuse, while the other fields tell the state before it. A line that is no record of
a known game at all is answered by {"error": {"line": n, "text": ...}} alone.
"""

import msgspec

from games.engine.game import Cell, Result, Side
from games.engine.record import Replayed


class TurnRefused(msgspec.Struct, frozen=True):
    turn: int
    text: str


class LineRefused(msgspec.Struct, frozen=True):
    line: int
    text: str


class ReplayAnswer(msgspec.Struct, frozen=True, kw_only=True):
    result: Result
    grid: tuple[str, ...]
    token: Side | msgspec.UnsetType
    winning_cells: tuple[Cell, ...]
    turns_played: int
    error: TurnRefused | None


class ReplayFailure(msgspec.Struct, frozen=True):
    error: LineRefused


def build_answer(replayed: Replayed) -> ReplayAnswer:
    board = replayed.board
    refused = replayed.error_turn
    return ReplayAnswer(
        result=replayed.result,
        grid=board.grid,
        token=board.token or msgspec.UNSET,
        winning_cells=board.winning_cells,
        turns_played=len(replayed.resolutions),
        error=TurnRefused(refused, replayed.error or "") if refused else None,
    )
