"""The answer to "Were we wiser than our average member?"."""

from collections.abc import Sequence

import pytest

from crowdgame.results.analysis.analyzed_turn import Crowd
from crowdgame.results.analysis.crowd_wisdom import MIN_TURNS, Wisdom, _t95, measure_wisdom


def measure(gains: Sequence[float]) -> Wisdom:
    wisdom = measure_wisdom([Crowd(mean_loss=0.1, gain=gain, exploitability=0.2) for gain in gains])
    assert wisdom is not None
    return wisdom


def test_no_turns_have_no_answer() -> None:
    assert measure_wisdom([]) is None


@pytest.mark.parametrize(
    ("gains", "answer"),
    [
        ([0.05] * 4, "too few turns"),
        ([0.04, 0.05, 0.06, 0.05, 0.05], "yes"),
        ([-0.04, -0.05, -0.06, -0.05, -0.05], "no"),
        ([0.3, -0.1, 0.0, 0.0, 0.0], "unclear"),
        ([0.0] * 5, "unclear"),
    ],
)
def test_answer_follows_from_the_interval(gains: Sequence[float], answer: str) -> None:
    assert measure(gains).answer == answer


def test_interval_is_students_t() -> None:
    wisdom = measure([0.01, 0.02, 0.03, 0.04, 0.05])
    assert wisdom.turns == 5
    assert wisdom.gain == pytest.approx(0.03)
    assert wisdom.pick_loss == pytest.approx(0.07)
    assert wisdom.margin == pytest.approx(2.776 * 0.0158113883 / 5**0.5)


@pytest.mark.parametrize(
    ("freedom", "exact"), [(4, 2.776), (18, 2.101), (19, 2.093), (30, 2.042), (60, 2.000), (1000, 1.962)]
)
def test_t_is_close_to_its_table(freedom: int, exact: float) -> None:
    assert freedom >= MIN_TURNS - 1
    assert _t95(freedom) == pytest.approx(exact, abs=0.006)
