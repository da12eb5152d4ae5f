"""What is said about the choices of a turn, and about the turns that decided a match."""

from dataclasses import replace

import pytest

from crowdgame.results.analysis.analyzed_turn import AnalyzedTurn, analyze_turn
from crowdgame.results.analysis.deciding_turns import (
    find_decisive_mistake,
    find_missed_win,
    find_turning_turn,
)
from crowdgame.results.analysis.verdicts import judge_choices, vote_shares
from games.engine.game import Picks, Side
from games.solver.solution import Solution
from voting.protocol import MissedWin, Verdict

# Red's columns 1 and 2 are worth 60%, the third 48%, the fourth 55%. Yellow has one good column.
OPEN = Solution(
    value=0.2,
    red_mix=(0.3, 0.7, 0.0, 0.0),
    yellow_mix=(1.0, 0.0, 0.0, 0.0),
    matrix=((0.2, 0.2, 0.2, 0.2), (0.2, 0.2, 0.2, 0.2), (-0.04, 0.3, 0.3, 0.3), (0.1, 0.3, 0.3, 0.9)),
    is_exact=True,
    depth=4,
)
ESTIMATED = replace(OPEN, is_exact=False)


def played(red: int | None, yellow: int | None, solution: Solution = OPEN) -> AnalyzedTurn:
    return analyze_turn(solution, Picks(red, yellow), {"red": {}, "yellow": {}})


def test_costliest_choice_comes_first_and_only_costly_ones_have_a_better_column() -> None:
    assert judge_choices(played(3, 2), {}) == (
        Verdict(side="red", column=3, quality="mistake", loss=0.12, held=2),
        Verdict(side="yellow", column=2, quality="best"),
    )
    assert judge_choices(played(4, 4), {})[0] == Verdict(side="red", column=4, quality="good", loss=0.05)
    assert judge_choices(played(None, 1), {}) == (Verdict(side="yellow", column=1, quality="best"),)


def test_estimate_names_only_a_class_that_its_margin_leaves_no_doubt_about() -> None:
    unclear = judge_choices(played(4, 1, ESTIMATED), {})
    assert unclear[0] == Verdict(side="red", column=4, quality=None, loss=0.05)
    doubtful = replace(ESTIMATED, matrix=(*ESTIMATED.matrix[:2], (-0.2, 0.3, 0.3, 0.3), ESTIMATED.matrix[3]))
    costly = Verdict(side="red", column=3, quality=None, loss=0.2, held=2)
    assert judge_choices(played(3, 1, doubtful), {})[0] == costly
    lost = replace(ESTIMATED, matrix=(*ESTIMATED.matrix[:2], (-0.7, 0.3, 0.3, 0.3), ESTIMATED.matrix[3]))
    [worst, _] = judge_choices(played(3, 1, lost), {})
    assert worst == Verdict(side="red", column=3, quality="blunder", loss=0.45, held=2)


def test_of_several_better_columns_the_one_with_most_votes_is_named() -> None:
    voted = judge_choices(played(3, 1), {"red": {1: 0.12, 2: 0.05, 3: 0.83}})
    assert voted[0] == Verdict(side="red", column=3, quality="mistake", loss=0.12, held=1, share=0.12)


def test_shares_need_more_than_one_voter_and_ballots_without_points() -> None:
    assert vote_shares([3, 0, 1], 4, 1) == {1: 0.75, 2: 0, 3: 0.25}
    assert vote_shares([1, 0, 0], 1, 1) == {}
    assert vote_shares([15, 5, 0], 4, 5) == {}


def turn(before: float, after: float | None, red: int = 1, yellow: int = 1) -> AnalyzedTurn:
    """A turn with these values for red. Column 3 is a mistake of red; yellow's choices are all alike."""
    analysis = played(red, yellow, replace(OPEN, value=before))
    return AnalyzedTurn(solution=analysis.solution, sides=played(red, yellow).sides, after=after)


def test_turning_point_is_where_the_winners_chance_rose_the_most() -> None:
    match = {1: turn(0.0, -0.5), 2: turn(-0.5, -0.3), 3: turn(-0.3, 0.1), 4: turn(0.1, None)}
    assert find_turning_turn(match, "red") == 3
    assert find_turning_turn(match, "yellow") == 1
    assert find_turning_turn({1: turn(0.5, 0.5)}, "red") is None


def test_decisive_mistake_is_the_losers_costliest_choice_the_last_of_several() -> None:
    match = {1: turn(0.2, 0.1, red=3), 2: turn(0.2, 0.1, red=3), 3: turn(0.2, 0.1, red=4), 4: turn(0.1, 0.1)}
    assert find_decisive_mistake(match, "yellow") == 2
    assert find_decisive_mistake(match, None) == 2
    assert find_decisive_mistake(match, "red") is None


@pytest.mark.parametrize(
    ("winner", "missed"),
    [("red", None), ("yellow", MissedWin(side="red", turns=2)), (None, MissedWin(side="red", turns=2))],
)
def test_missed_win_counts_the_turns_in_which_a_win_was_certain(
    winner: Side | None, missed: MissedWin | None
) -> None:
    match = {1: turn(0.9, 1.0), 2: turn(1.0, 1.0), 3: turn(1.0, 0.2), 4: turn(0.2, -1.0)}
    assert find_missed_win(match, winner) == missed
