"""The demonstration on the big screen shows each rule that it explains."""

from tests.games.demonstration import TURNS, render, turns


def test_demonstration_is_current_and_shows_two_columns_then_a_conflict_then_four_in_a_row() -> None:
    assert TURNS.read_bytes() == render(), "run: python -m tests.games.demonstration"
    two, conflict, win = (turn["resolution"] for turn in turns())
    assert (len(two.drops), two.conflict, two.result) == (2, None, "open")
    assert (conflict.drops[0].side, conflict.token_before, conflict.token_after) == ("red", "red", "yellow")
    assert [drop.row for drop in conflict.drops] == [1, 2]
    assert (win.result, win.conflict, len(win.lines)) == ("red", None, 1)
