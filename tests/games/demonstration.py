"""The turns that the big screen demonstrates before a match, by the real rules.

`python -m tests.games.demonstration` writes TURNS, which the display's demonstration shows.
"""

from pathlib import Path
from typing import Any

import msgspec

from games.engine.game import Picks
from games.rules.columns import Grid
from games.rules.simultaneous_captains_mistress import GAME, State

TURNS = Path(__file__).parents[2] / "frontend/src/display/demonstration/turns.json"
SMALL_GRID = Grid.empty(5, 4)
BEFORE = Picks(2, 5)
# Two columns, the same column, four in a row.
SHOWN = (Picks(3, 5), Picks(4, 4), Picks(1, 5))


def turns() -> list[dict[str, Any]]:
    """Each shown turn: its resolution, and the board after it."""
    state, _ = GAME.resolve(State(SMALL_GRID, "red", "holder", "open"), BEFORE)
    shown = []
    for picks in SHOWN:
        state, resolution = GAME.resolve(state, picks)
        shown.append({"board": GAME.view(state, None), "resolution": resolution})
    return shown


def render() -> bytes:
    """Return the text of TURNS: a line per turn."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, turns())) + b"\n]\n"


if __name__ == "__main__":
    TURNS.write_bytes(render())
