"""OpenSpiel games through our game protocol, and our classic game compared with OpenSpiel's."""

from random import Random
from typing import get_args

import pyspiel
import pytest

from games.engine.game import Picks, Side
from games.engine.registry import all_games, find_game, read_options
from games.rules.openspiel import GAME, Name

LETTERS = str.maketrans("xo", "RY")
CLASSIC = find_game("captains-mistress")


def test_openspiel_game_is_registered_when_installed() -> None:
    assert "openspiel" in all_games()


@pytest.mark.parametrize("name", get_args(Name))
def test_openspiel_games_play_to_the_end(name: Name) -> None:
    rng = Random(name)
    state = GAME.start(read_options(GAME, {"name": name}))  # type: ignore[arg-type]
    choices = GAME.view(state, None).choices
    assert len({*choices}) == len(choices)
    while movers := GAME.to_move(state):
        board = GAME.view(state, None)
        assert board.drawing
        assert len(board.choices) == board.columns
        picks: dict[Side, int] = {side: rng.choice(GAME.legal_actions(state, side)) for side in movers}
        state, resolution = GAME.resolve(state, Picks(**picks))
        assert resolution.before == board.drawing
        assert resolution.result == GAME.result(state)
        assert GAME.view(state, None).choices == choices
    assert GAME.result(state) != "open"


def test_openspiel_pass_keeps_the_position() -> None:
    state = GAME.start(read_options(GAME, {}))  # type: ignore[arg-type]
    after, _ = GAME.resolve(state, Picks())
    assert GAME.view(after, None) == GAME.view(state, None)


def test_classic_game_matches_openspiel_connect_four() -> None:
    rng = Random(4)
    theirs_game = pyspiel.load_game("connect_four")
    for _ in range(10_000):
        theirs = theirs_game.new_initial_state()
        ours = CLASSIC.start(read_options(CLASSIC, {"first": "red"}))
        while movers := CLASSIC.to_move(ours):
            legal = CLASSIC.legal_actions(ours, movers[0])
            assert [action + 1 for action in theirs.legal_actions()] == list(legal)
            column = rng.choice(legal)
            ours, _ = CLASSIC.resolve(ours, Picks(**{movers[0]: column}))
            theirs.apply_action(column - 1)
            assert str(theirs).translate(LETTERS).split() == list(CLASSIC.view(ours, None).grid)
        assert theirs.is_terminal()
        won = theirs.returns()[0]
        assert CLASSIC.result(ours) == ("draw" if won == 0 else "red" if won > 0 else "yellow")
