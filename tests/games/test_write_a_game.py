"""The example game in docs/write-a-game.md can be played as printed."""

import re
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest

from games.engine.game import Board, Picks

GUIDE = Path(__file__).parents[2] / "docs" / "write-a-game.md"


@pytest.fixture
def game() -> Any:
    first = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    module = ModuleType("stone")
    exec(first, module.__dict__)  # noqa: S102  the code is from our own docs
    return module.GAME


def test_example_game_plays_to_the_end(game: Any) -> None:
    rng = Random(1)
    state = game.start(game.options())
    while sides := game.to_move(state):
        board = game.view(state, None)
        assert msgspec.json.decode(msgspec.json.encode(board), type=Board) == board
        picks = {side: rng.choice(game.legal_actions(state, side)) for side in sides}
        state, resolution = game.resolve(state, Picks(**picks))
        assert resolution.result == game.result(state)
    assert {state.red, state.yellow} & {3}


@pytest.mark.parametrize(
    ("red", "yellow", "winner"),
    [(1, 2, "red"), (2, 3, "red"), (3, 1, "red"), (2, 1, "yellow"), (1, 1, None), (None, 1, "yellow")],
)
def test_example_game_scores_the_winning_pick(
    game: Any, red: int | None, yellow: int, winner: str | None
) -> None:
    sentences = game.resolve(game.start(game.options()), Picks(red, yellow))[1].sentences
    assert sentences == ((f"{{{winner}}} takes the point.",) if winner else ("Nobody takes the point.",))
