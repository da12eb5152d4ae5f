"""Renders board pictures as PNG, one at a time in a subprocess, and caches them."""

import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path

from crowdgame.results.reports.color_sheet import DEFAULT_COLORS, Colors, color_rules
from crowdgame.results.reports.preview import plain_style

STATIC = Path(__file__).parents[2] / "static"
SHEETS = ("tokens/stage.css", "tokens/pages.css", "tokens/drawn.css", "paper/paper.css")
PROGRAM = Path(__file__).with_name("raster.py")
MAX_CACHED = 64
LOCK_TIMEOUT_S = 10.0
_cache: dict[str, bytes] = {}
_render_lock = threading.Lock()


class PictureQueueFull(Exception):
    """The renderer stayed busy for LOCK_TIMEOUT_S."""


def render_picture(drawing: str) -> bytes:
    """Return the PNG of an SVG. Raises PictureQueueFull."""
    if drawing in _cache:
        return _cache[drawing]
    if not _render_lock.acquire(timeout=LOCK_TIMEOUT_S):
        raise PictureQueueFull
    try:
        if drawing not in _cache:
            while len(_cache) >= MAX_CACHED:
                _cache.pop(next(iter(_cache)), None)
            _cache[drawing] = _draw(drawing)
        return _cache[drawing]
    finally:
        _render_lock.release()


def _draw(drawing: str) -> bytes:
    """Run `raster.py` in Python's isolated mode (`-I`), independent of environment and user packages."""
    argv = [sys.executable, "-I", str(PROGRAM)]
    return subprocess.run(argv, input=drawing.encode(), stdout=subprocess.PIPE, check=True).stdout  # noqa: S603


@lru_cache(MAX_CACHED)
def board_style(colors: Colors = DEFAULT_COLORS) -> str:
    """Return the rules for boards outside a page (see `plain_style`)."""
    return plain_style("".join((STATIC / sheet).read_text() for sheet in SHEETS) + color_rules(colors))
