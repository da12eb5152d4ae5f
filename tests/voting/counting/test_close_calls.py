"""Close calls: almost equal votes, or a conflict that decided the match."""

from typing import Any

import pytest

from games.engine.game import Drop, Resolution
from voting.counting.pacing import CloseCall, find_close_call
from voting.counting.tally import SideTally

LINE = ((1, 1), (2, 1), (3, 1), (4, 1))
DROPS = (Drop("red", 4, 1), Drop("yellow", 4, 2))
OPEN = Resolution(result="open")


def tally(counts: tuple[int, ...], pick: int, **given: Any) -> SideTally:
    return SideTally(counts=counts, ballots=sum(counts), pick=pick, **{"decided_by": "plurality"} | given)


@pytest.mark.parametrize(
    ("red", "expected"),
    [
        (tally((60, 40), 1), None),
        (tally((51, 49), 1), CloseCall(kind="count", side="red", first=1, second=2, margin=2)),
        (tally((505, 495), 1), CloseCall(kind="count", side="red", first=1, second=2, margin=10)),
        (tally((6, 4), 1), CloseCall(kind="count", side="red", first=1, second=2, margin=2)),
        (tally((5, 4), 1), None),
        (tally((100, 0), 1), None),
        (tally((50, 50), 2, decided_by="lottery"), None),
        (tally((51, 49), 1, rounds=((51, 49),)), None),
        (SideTally(counts=(), ballots=0, pick=1, decided_by=None), None),
    ],
)
def test_close_count_is_a_margin_of_few_votes(red: SideTally, expected: CloseCall | None) -> None:
    assert find_close_call(OPEN, {"red": red}) == expected


def test_smallest_margin_is_the_close_call() -> None:
    tallies = {"red": tally((51, 49), 1), "yellow": tally((50, 50), 2, decided_by="first")}
    call = find_close_call(OPEN, {"red": tallies["red"], "yellow": tallies["yellow"]})
    assert call == CloseCall(kind="count", side="yellow", first=2, second=1, margin=0)


def test_conflict_is_a_close_call_if_its_ball_completed_the_line() -> None:
    won = Resolution(drops=DROPS, conflict=4, lines=(LINE,), result="red")
    assert find_close_call(won, {}) == CloseCall(kind="conflict", side="red")
    elsewhere = Resolution(drops=DROPS, conflict=4, lines=(((1, 1), (1, 2), (1, 3), (1, 4)),), result="red")
    assert find_close_call(elsewhere, {}) is None
    without_conflict = Resolution(drops=DROPS, lines=(LINE,), result="red")
    assert find_close_call(without_conflict, {}) is None
