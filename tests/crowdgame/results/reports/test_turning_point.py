"""The turning point of a match, found in positions produced by the games themselves."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.results.reports.turning_point import TurningPoint, find_threats, find_turning_point
from games.engine.game import Board, Picks, Side
from games.engine.registry import find_game, read_options

Turns = Sequence[tuple[int | None, int | None]]
SIMULTANEOUS = "simultaneous-captains-mistress"


def boards(turns: Turns, game: str = SIMULTANEOUS, **options: object) -> list[Board]:
    """After each turn."""
    rules = find_game(game)
    state = rules.start(read_options(rules, options))
    positions = []
    for turn in turns:
        state = rules.resolve(state, Picks(*turn))[0]
        positions.append(rules.view(state, None))
    return positions


THREE_UP = [(1, 2), (1, 3), (1, 2)]
HOLE = [(1, 7), (2, 7), (4, 6)]
TOKEN_COMES = [(1, 7), (2, 7), (3, 6), (7, 6), (5, 5), (4, 2)]
CLASSIC_TURNS = [(1, None), (None, 7), (1, None), (None, 7), (1, None), (None, 6), (1, None)]


@pytest.mark.parametrize(
    ("turns", "side", "threats"),
    [
        (THREE_UP, "red", (1,)),
        (THREE_UP, "yellow", ()),
        (HOLE, "red", (3,)),
        ([(2, 7), (3, 7), (4, 6)], "red", (1, 5)),
        ([(2, 3), (3, 4), (6, 4), (4, 5), (6, 5), (1, 5)], "red", (5,)),
        ([(1, 7), (2, 7), (4, 3)], "red", ()),  # the hole is filled, and above it there is no threat
        ([(1, 2), (1, 3), (1, 2), (7, 1), (7, 1), (5, 1)], "red", ()),  # the column is full
    ],
)
def test_find_threats_returns_winning_columns(turns: Turns, side: Side, threats: tuple[int, ...]) -> None:
    assert find_threats(boards(turns)[-1], side) == threats


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=18))
def test_find_threats_agrees_with_game_rules(turns: list[tuple[int, int]]) -> None:
    """Tries a single drop in each open column."""
    rules = find_game(SIMULTANEOUS)
    state = rules.start(read_options(rules, {}))
    for turn in turns:
        if rules.result(state) != "open" or not set(turn) <= set(rules.legal_actions(state, "red")):
            break
        state = rules.resolve(state, Picks(*turn))[0]
    if rules.result(state) != "open":
        return
    columns = rules.legal_actions(state, "red")
    wins = tuple(c for c in columns if rules.resolve(state, Picks(red=c))[1].result == "red")
    assert find_threats(rules.view(state, None), "red") == wins


@pytest.mark.parametrize(
    ("winner", "turns", "options", "point"),
    [
        ("red", [*THREE_UP, (1, 3)], {}, TurningPoint(3, (1,), 3)),
        # Yellow blocks the first threat; the next is built at 7.
        ("red", [*THREE_UP, (7, 1), (7, 5), (7, 5), (7, 3)], {}, TurningPoint(6, (7,), 6)),
        # Yellow holds the token first; a conflict in turn 5 hands it to red, whose threat is two turns old.
        ("red", TOKEN_COMES, {"token": "yellow"}, TurningPoint(3, (4,), 5)),
        # Red holds the token first, loses it in turn 4 and regains it in turn 5.
        ("red", [(1, 7), (2, 7), (3, 6), (5, 5), (5, 5), (4, 2)], {}, TurningPoint(3, (4,), 5)),
        # Both choose 4, and only the ball on top of the other's makes four.
        ("yellow", [(4, 4)], {}, TurningPoint(1, (), None)),
        ("red", [], {}, None),
        ("red", CLASSIC_TURNS, {"game": "captains-mistress", "first": "red"}, TurningPoint(5, (1,), None)),
    ],
)
def test_turning_point_is_start_of_last_lasting_threat(
    winner: Side, turns: Turns, options: dict[str, Any], point: TurningPoint | None
) -> None:
    assert find_turning_point(winner, boards(turns, **options)) == point
