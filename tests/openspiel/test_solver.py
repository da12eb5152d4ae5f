"""The solver, judged by OpenSpiel: best responses to its mixes, and the value of classic positions."""

from random import Random
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms.minimax import alpha_beta_search

from games.engine.game import Picks
from games.engine.registry import find_game
from games.solver.positions import read_position
from games.solver.solution import Mix, Solution
from games.solver.solver import solve
from tests.games.solver.sampling import CLASSIC
from tests.openspiel.late_matches import NAME

CLOSE = 1e-9
PLAYER_PREFIX = "Current player: {}\n"
Policy = dict[str, list[tuple[int, float]]]


def solved(state: Any) -> Solution:
    position = read_position(state)
    assert position is not None
    return solve(position)


def actions(mix: Mix, legal: list[int]) -> list[tuple[int, float]]:
    return [(action, mix[action]) for action in legal]


def add_mixes(state: Any, policy: Policy) -> None:
    """Add the solver's mixes of this state, and of all that can follow, by information state."""
    keys = [PLAYER_PREFIX.format(player) + str(state) for player in (0, 1)]
    if state.is_terminal() or keys[0] in policy:
        return
    solution = solved(state.ours)
    legal = [state.legal_actions(player) for player in (0, 1)]
    policy[keys[0]] = actions(solution.red_mix, legal[0])
    policy[keys[1]] = actions(solution.yellow_mix, legal[1])
    for red in legal[0]:
        for yellow in legal[1]:
            child = state.clone()
            child.apply_actions([red, yellow])
            add_mixes(child, policy)


@pytest.mark.parametrize("seed", range(40))
def test_no_player_gains_by_leaving_the_mixes(seed: int) -> None:
    game = pyspiel.load_game(NAME, {"seed": seed, "free_cells": 5 + seed % 4})
    policy: Policy = {}
    add_mixes(game.new_initial_state(), policy)
    turn_based = pyspiel.convert_to_turn_based(game)
    tabular = pyspiel.TabularPolicy(policy)
    red, _ = pyspiel.expected_returns(turn_based.new_initial_state(), tabular, -1, False)
    assert pyspiel.nash_conv(turn_based, tabular) == pytest.approx(0, abs=CLOSE)
    assert red == pytest.approx(solved(game.start).value, abs=CLOSE)


def open_classic_match(free_cells: int, random: Random) -> tuple[Any, Any]:
    """Return the state of an open match after random columns, ours and OpenSpiel's."""
    game, theirs = find_game(CLASSIC), pyspiel.load_game("connect_four")
    while True:
        ours, state = game.start(game.options(first="red")), theirs.new_initial_state()
        for _ in range(42 - free_cells):
            if state.is_terminal():
                break
            action = random.choice(state.legal_actions())
            ours = game.resolve(ours, Picks(**{game.to_move(ours)[0]: action + 1}))[0]
            state.apply_action(action)
        else:
            if not state.is_terminal():
                return ours, state


@pytest.mark.parametrize("seed", range(40))
def test_classic_value_is_that_of_openspiels_search(seed: int) -> None:
    ours, theirs = open_classic_match(8 + seed % 5, Random(seed))
    value, _ = alpha_beta_search(theirs.get_game(), state=theirs, maximizing_player_id=0)
    assert solved(ours).value == pytest.approx(value, abs=CLOSE)
