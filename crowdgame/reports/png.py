"""Pictures of boards: drawn one at a time, by a program of their own, and kept."""

import subprocess
import sys
import threading
from collections.abc import Hashable
from functools import cache
from pathlib import Path

from crowdgame.reports.preview import draw_preview, plain_style
from games.engine.game import Board, Side

STATIC = Path(__file__).parents[1] / "static"
SHEETS = ("tokens/stage.css", "tokens/rooms.css", "tokens/drawn.css", "paper/paper.css")
PROGRAM = Path(__file__).with_name("raster.py")
KEPT = 64
PATIENCE_S = 10.0
_kept: dict[Hashable, bytes] = {}
_drawing = threading.Lock()


class Busy(Exception):
    """Too many wait for a picture."""


def picture_of(version: Hashable, board: Board, winner: Side | None) -> bytes:
    """A PNG; the same `version` is the same picture. Raises Busy."""
    if version in _kept:
        return _kept[version]
    if not _drawing.acquire(timeout=PATIENCE_S):
        raise Busy
    try:
        if version not in _kept:
            while len(_kept) >= KEPT:
                _kept.pop(next(iter(_kept)), None)
            _kept[version] = _draw(draw_preview(board, winner, _style()))
        return _kept[version]
    finally:
        _drawing.release()


def _draw(drawing: str) -> bytes:
    """Python's own `-I`: nothing of its surroundings leads the program astray."""
    argv = [sys.executable, "-I", str(PROGRAM)]
    return subprocess.run(argv, input=drawing.encode(), stdout=subprocess.PIPE, check=True).stdout  # noqa: S603


@cache
def _style() -> str:
    return plain_style("".join((STATIC / sheet).read_text() for sheet in SHEETS))
