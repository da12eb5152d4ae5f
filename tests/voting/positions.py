"""Positions of the simultaneous game, and their turns as protocol messages."""

from typing import Any

from games.engine.game import SIDES, Game, Picks
from games.engine.registry import find_game, read_options
from voting.protocol import Legal, Turn

SIMULTANEOUS = find_game("simultaneous-captains-mistress")


def a_turn(state: object, number: int = 1, game: Game[Any] = SIMULTANEOUS) -> Turn:
    red, yellow = (game.legal_actions(state, side) for side in SIDES)
    return Turn(
        id=number, number=number, opens_at=0, closes_at=1, epoch=1, paused=False, left_ms=0,
        to_move=SIDES, legal=Legal(red=red, yellow=yellow),
    )  # fmt: skip


def after(*turns: tuple[int | None, int | None]) -> object:
    state = SIMULTANEOUS.start(read_options(SIMULTANEOUS, {}))
    for red, yellow in turns:
        state, _ = SIMULTANEOUS.resolve(state, Picks(red, yellow))
    return state
