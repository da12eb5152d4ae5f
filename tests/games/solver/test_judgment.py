"""What columns and crowds cost, in positions whose answer can be worked out by hand."""

from random import Random

import pytest

from games.engine.game import SIDES
from games.solver.judgment import classify, column_losses, hindsight_loss, judge_crowd, winning_chance
from games.solver.solution import ESTIMATE_MARGIN, Solution
from games.solver.solver import solve
from tests.games.solver.sampling import played_sample

#: Matching pennies in columns 1 and 2: red wins if both pick the same. Column 3 loses for both, 4 is full.
PENNIES = Solution(
    value=0,
    red_mix=(0.5, 0.5, 0, 0),
    yellow_mix=(0.5, 0.5, 0, 0),
    matrix=((1, -1, 1, None), (-1, 1, 1, None), (-1, -1, 0, None), (None,) * 4),
    is_exact=True,
    depth=1,
)


def test_columns_cost_what_the_equilibrium_or_in_hindsight_the_reply_takes() -> None:
    for side in SIDES:
        assert column_losses(PENNIES, side) == {1: 0, 2: 0, 3: 0.5}
    assert (classify(PENNIES, "red", 1), classify(PENNIES, "yellow", 3)) == ("best", "blunder")
    assert hindsight_loss(PENNIES, "red", 1, 2) == 1
    assert hindsight_loss(PENNIES, "yellow", 2, 1) == 0
    assert hindsight_loss(PENNIES, "yellow", 1, 1) == 1


def test_crowd_is_wiser_than_its_average_member() -> None:
    judged = judge_crowd(PENNIES, "red", {1: 60, 2: 20, 3: 20}, pick=1)
    assert [judged.mean_loss, judged.gain] == pytest.approx([0.1, 0.1])
    # Yellow picks column 2: red wins with 20 of 100 votes, and 0.5 is the fair share.
    assert judged.exploitability == pytest.approx(0.3)
    assert judge_crowd(PENNIES, "yellow", {1: 7, 2: 7}, pick=2).exploitability == 0
    with pytest.raises(ValueError, match="nobody"):
        judge_crowd(PENNIES, "red", {}, pick=1)


@pytest.mark.parametrize(
    ("loss", "quality"),
    [(0.02, "best"), (0.05, "good"), (0.1, "inaccuracy"), (0.2, "mistake"), (0.21, "blunder")],
)
def test_columns_are_classified_by_what_they_cost(loss: float, quality: str) -> None:
    solution = Solution(0, (1, 0), (1,), ((0,), (-2 * loss,)), True, 1)
    assert classify(solution, "red", 2) == quality


@pytest.mark.parametrize(("beyond", "quality"), [(0.001, "blunder"), (-0.001, None)])
def test_estimated_column_has_a_class_only_outside_the_margin(beyond: float, quality: str | None) -> None:
    loss = 0.2 + ESTIMATE_MARGIN + beyond
    solution = Solution(0, (1, 0), (1,), ((0,), (-2 * loss,)), False, 1)
    assert classify(solution, "red", 2) == quality
    assert classify(solution, "red", 1) is None, "it may be worse than a column outside the mix"


@pytest.mark.parametrize(
    ("second", "quality"), [(1, "best"), (1 - 2e-16, "best"), (-1, "blunder"), (0.9, None), (0.2, "blunder")]
)
def test_columns_that_keep_or_lose_a_certain_win_are_no_estimates(second: float, quality: str | None) -> None:
    solution = Solution(1, (1, 0), (1,), ((1,), (second,)), False, 3)
    assert (classify(solution, "red", 1), classify(solution, "red", 2)) == ("best", quality)
    assert solution.margin == 0


def test_side_that_does_not_move_has_no_choice() -> None:
    classic = Solution(-1, (), (0, 1, 0), ((1, -1, 0),), True, 5)
    assert column_losses(classic, "yellow") == {1: 1, 2: 0, 3: 0.5}
    assert winning_chance(classic, "red") == 0


def test_no_column_in_an_equilibrium_costs_anything() -> None:
    random = Random(4)
    for _ in range(4):
        solution = solve(played_sample(14, random).position)
        for side, mix in zip(SIDES, (solution.red_mix, solution.yellow_mix), strict=True):
            losses = column_losses(solution, side)
            assert min(losses.values()) == pytest.approx(0, abs=1e-9)
            mixed = [losses[column] for column, chance in enumerate(mix, 1) if chance > 1e-9]
            assert mixed == pytest.approx([0] * len(mixed), abs=1e-9)
