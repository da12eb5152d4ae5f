"""Simultaneous Captain's Mistress as an OpenSpiel game that starts near the end of a match."""

from random import Random
from typing import Any

import pyspiel

from games.engine.game import Picks
from games.rules.simultaneous_captains_mistress import GAME, State
from tests.games.solver.sampling import SIMULTANEOUS, random_sample

NAME = "late_simultaneous_captains_mistress"
GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Simultaneous Captain's Mistress near the end",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=False,
    parameter_specification={"seed": 0, "free_cells": 4},
)
RETURNS = {"red": [1.0, -1.0], "yellow": [-1.0, 1.0], "draw": [0.0, 0.0], "open": [0.0, 0.0]}


class LateMatch(pyspiel.Game):  # type: ignore[misc]
    """A match that starts with `free_cells` at most, after random columns drawn with `seed`."""

    def __init__(self, params: dict[str, int] | None = None) -> None:
        options = {"seed": 0, "free_cells": 4} | (params or {})
        self.start = random_sample(SIMULTANEOUS, options["free_cells"], Random(options["seed"])).state
        info = pyspiel.GameInfo(
            num_distinct_actions=7,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=42,
        )
        super().__init__(GAME_TYPE, info, options)

    def new_initial_state(self) -> "LateState":
        return LateState(self, self.start)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "LateObserver":
        return LateObserver()


class LateState(pyspiel.State):  # type: ignore[misc]
    """A state of ours. OpenSpiel copies it and plays on the copy."""

    def __init__(self, game: LateMatch, ours: State) -> None:
        super().__init__(game)
        self.ours = ours

    def current_player(self) -> int:
        is_open = GAME.result(self.ours) == "open"
        return int(pyspiel.PlayerId.SIMULTANEOUS if is_open else pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return [column - 1 for column in GAME.legal_actions(self.ours, "yellow" if player else "red")]

    def _apply_actions(self, actions: list[int]) -> None:
        red, yellow = actions
        self.ours = GAME.resolve(self.ours, Picks(red + 1, yellow + 1))[0]

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action + 1)

    def is_terminal(self) -> bool:
        return GAME.result(self.ours) != "open"

    def returns(self) -> list[float]:
        return RETURNS[GAME.result(self.ours)]

    def __str__(self) -> str:
        return f"{self.ours.grid.stacks} {self.ours.token}"


class LateObserver:
    """Both players see the whole board and the token. There are no tensors."""

    def __init__(self) -> None:
        self.tensor = None
        self.dict: dict[str, Any] = {}

    def set_from(self, state: LateState, player: int) -> None:
        """There is no tensor."""

    def string_from(self, state: LateState, player: int) -> str:
        return str(state)


pyspiel.register_game(GAME_TYPE, LateMatch)
