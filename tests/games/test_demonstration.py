"""The turns that the big screen demonstrates before a match, by the real rules.

`python -m tests.games.test_demonstration` writes TURNS, which the display's demonstration shows.
"""

from pathlib import Path
from typing import Any

import msgspec

from games.engine.game import Picks
from games.rules.columns import Grid
from games.rules.simultaneous_captains_mistress import GAME, State

TURNS = Path(__file__).parents[2] / "frontend/src/display/demonstration/turns.json"


def turns() -> list[dict[str, Any]]:
    """Each shown turn: its resolution, and the board after it."""
    state, _ = GAME.resolve(State(Grid.empty(5, 4), "red", "holder", "open"), Picks(2, 5))
    shown = []
    for picks in (Picks(3, 5), Picks(4, 4), Picks(1, 5)):
        state, resolution = GAME.resolve(state, picks)
        shown.append({"board": GAME.view(state, None), "resolution": resolution})
    return shown


def render() -> bytes:
    return b"[\n" + b",\n".join(map(msgspec.json.encode, turns())) + b"\n]\n"


def test_demonstration_is_current_and_shows_two_columns_then_a_conflict_then_four_in_a_row() -> None:
    assert TURNS.read_bytes() == render(), "run: python -m tests.games.test_demonstration"
    two, conflict, win = (turn["resolution"] for turn in turns())
    assert (len(two.drops), two.conflict, two.result) == (2, None, "open")
    assert (conflict.drops[0].side, conflict.token_before, conflict.token_after) == ("red", "red", "yellow")
    assert [drop.row for drop in conflict.drops] == [1, 2]
    assert (win.result, win.conflict, len(win.lines)) == ("red", None, 1)


if __name__ == "__main__":
    TURNS.write_bytes(render())
