"""What the analysis of a turn says about its picks and votes."""

from dataclasses import replace

import msgspec
import pytest

from crowdgame.results.analysis.analyzed_turn import (
    AnalyzedTurn,
    analyze_turn,
    pack_analysis,
    unpack_analysis,
)
from games.engine.game import Picks
from games.engine.registry import find_game, read_options
from games.solver.positions import Position, read_position
from games.solver.solver import solve

SIMULTANEOUS, CLASSIC = "simultaneous-captains-mistress", "captains-mistress"
THREE_IN_A_COLUMN = [(1, 2), (1, 3), (1, 2)]


def position_after(game_slug: str, picks: list[tuple[int | None, int | None]], **options: object) -> Position:
    game = find_game(game_slug)
    state = game.start(read_options(game, options))
    for red, yellow in picks:
        state, _ = game.resolve(state, Picks(red, yellow))
    position = read_position(state)
    assert position is not None
    return position


@pytest.fixture(scope="module")
def open_turn() -> AnalyzedTurn:
    """Red should mix columns 3 and 5. Two of three voters choose 5, the third chooses 7.

    As if the solution were exact.
    """
    position = position_after(SIMULTANEOUS, [(4, 4), (4, 3), (3, 5)], token="red")
    return analyze_turn(
        replace(solve(position), is_exact=True), Picks(5, 3), {"red": {5: 2, 7: 1}, "yellow": {3: 1}}
    )


def test_column_of_the_equilibrium_is_best(open_turn: AnalyzedTurn) -> None:
    red = open_turn.sides["red"]
    assert [column for column, chance in enumerate(open_turn.mix("red"), 1) if chance] == [3, 5]
    assert (red.quality, red.loss) == ("best", 0)
    assert (red.qualities[7], red.qualities[6]) == ("blunder", "mistake")
    assert red.losses[7] == pytest.approx(0.218, abs=0.01)


def test_hindsight_compares_with_best_reply_to_actual_pick(open_turn: AnalyzedTurn) -> None:
    replies = [row[2] or 0 for row in open_turn.solution.matrix]
    assert open_turn.sides["red"].hindsight == pytest.approx((max(replies) - replies[4]) / 2)


def test_swing_leads_to_the_matrix_entry_of_both_picks(open_turn: AnalyzedTurn) -> None:
    after = open_turn.solution.matrix[4][2] or 0
    assert open_turn.after == after
    assert open_turn.swing == pytest.approx((after - open_turn.solution.value) / 2)


def test_crowd_is_judged_against_its_average_member(open_turn: AnalyzedTurn) -> None:
    red = open_turn.sides["red"]
    assert red.crowd is not None
    assert red.crowd.mean_loss == pytest.approx(red.losses[7] / 3)
    assert red.crowd.gain == pytest.approx(red.crowd.mean_loss)
    assert red.crowd.exploitability >= red.crowd.mean_loss
    assert open_turn.sides["yellow"].crowd is None, "one voter is no crowd"


def test_side_without_pick_is_not_judged() -> None:
    position = position_after(SIMULTANEOUS, [*THREE_IN_A_COLUMN], token="red")
    turn = analyze_turn(solve(position), Picks(None, 3), {"red": {1: 3}, "yellow": {}})
    red = turn.sides["red"]
    assert (red.pick, red.loss, red.quality, red.hindsight, red.crowd) == (None,) * 5
    assert turn.swing is None


def test_secret_half_has_no_position_after_it() -> None:
    position = position_after(SIMULTANEOUS, [*THREE_IN_A_COLUMN], token="red")
    half = analyze_turn(solve(position), Picks(7, 3), {"red": {7: 3}}, is_complete=False)
    assert half.sides.keys() == {"red"}
    assert half.sides["red"].hindsight is not None
    assert half.after is None


def test_classic_game_judges_only_the_side_to_move() -> None:
    drops = [(1, None), (None, 2), (1, None), (None, 2), (1, None), (None, 3)]
    position = position_after(CLASSIC, drops, first="red")
    turn = analyze_turn(solve(position), Picks(7, None), {"red": {1: 1, 7: 2}})
    red = turn.sides["red"]
    assert turn.solution.value == 1
    assert red.loss is not None
    assert turn.swing == pytest.approx(-red.loss)
    assert red.hindsight is None
    assert red.crowd is not None
    assert red.crowd.gain < 0, "the majority was wrong"


def test_analysis_survives_packing(open_turn: AnalyzedTurn) -> None:
    packed = pack_analysis(open_turn)
    assert unpack_analysis(packed) == open_turn
    assert len(packed) < 2048


def test_estimates_stored_by_earlier_versions_lose_doubtful_classes(open_turn: AnalyzedTurn) -> None:
    estimate = msgspec.structs.replace(open_turn, solution=replace(open_turn.solution, is_exact=False))
    assert estimate.sides["red"].qualities[6] == "mistake"
    assert unpack_analysis(pack_analysis(estimate)).sides["red"].qualities[6] is None
    assert unpack_analysis(pack_analysis(open_turn)) == open_turn
