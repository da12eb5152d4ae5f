import pytest

from tests.load.bench.report import Row
from tests.load.bench.run import find_regressions, load_baseline, pick_better


def rows(**values: float) -> list[Row]:
    goals = {"votes": "≥ 0.45", "memory": "≤ 2"}
    return [
        Row(server="daphne", what=name, measured="", value=value, goal=goals[name], key=name)
        for name, value in values.items()
    ]


@pytest.mark.parametrize(
    ("measured", "regressed"),
    [
        (rows(votes=0.41, memory=1.7), []),
        (rows(votes=0.39, memory=1.7), ["votes"]),
        (rows(votes=0.41, memory=1.9), ["memory"]),
        (rows(votes=0.41), ["memory"]),
        (pick_better(rows(votes=0.39, memory=1.7), rows(votes=0.41, memory=1.9)), []),
    ],
    ids=["within", "slower", "larger", "missing", "better of two"],
)
def test_gate_names_ratios_that_are_a_third_worse(measured: list[Row], regressed: list[str]) -> None:
    assert find_regressions(measured, {"votes": 0.6, "memory": 1.2}) == regressed
    assert {key.partition(": ")[0] for key in load_baseline()} == {"daphne", "uvicorn"}
