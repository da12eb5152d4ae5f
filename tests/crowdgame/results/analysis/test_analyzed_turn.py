from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.results.analysis import deciding_turns
from crowdgame.results.analysis.analyzed_turn import (
    AnalyzedSide,
    AnalyzedTurn,
    Crowd,
    analyze_turn,
    pack_analysis,
    unpack_analysis,
)
from crowdgame.results.analysis.crowd_wisdom import MIN_TURNS, Wisdom, _t95, measure_wisdom
from crowdgame.results.analysis.verdicts import judge_choices, vote_shares
from crowdgame.results.reports.turning_point import TurningPoint, find_threats, find_turning_point
from games.engine.game import Board, Picks, Side
from games.engine.registry import find_game, read_options
from games.solver.positions import read_position
from games.solver.solution import Solution
from games.solver.solver import solve
from voting.protocol import MissedWin, Verdict

Turns = Sequence[tuple[int | None, int | None]]
SIMULTANEOUS, CLASSIC = "simultaneous-captains-mistress", "captains-mistress"
THREE_UP = [(1, 2), (1, 3), (1, 2)]
TOKEN_COMES = [(1, 7), (2, 7), (3, 6), (7, 6), (5, 5), (4, 2)]
CLASSIC_TURNS = [(1, None), (None, 7), (1, None), (None, 7), (1, None), (None, 6), (1, None)]
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


def states(turns: Turns, game: str = SIMULTANEOUS, **options: object) -> list[Any]:
    """The states of the game before the first turn and after each."""
    rules = find_game(game)
    found = [rules.start(read_options(rules, options))]
    for turn in turns:
        found.append(rules.resolve(found[-1], Picks(*turn))[0])
    return found


def solve_after(turns: Turns, **options: Any) -> Solution:
    position = read_position(states(turns, **options)[-1])
    assert position is not None
    return solve(position)


@pytest.fixture(scope="module")
def open_turn() -> AnalyzedTurn:
    """Red should mix columns 3 and 5. Two of three voters choose 5, the third chooses 7.

    As if the solution were exact.
    """
    solution = replace(solve_after([(4, 4), (4, 3), (3, 5)], token="red"), is_exact=True)
    return analyze_turn(solution, Picks(5, 3), {"red": {5: 2, 7: 1}, "yellow": {3: 1}})


def test_turn_is_judged_by_its_equilibrium_and_a_crowd_by_its_average_member(open_turn: AnalyzedTurn) -> None:
    red, column = open_turn.sides["red"], [row[2] or 0 for row in open_turn.solution.matrix]
    assert [column for column, chance in enumerate(open_turn.mix("red"), 1) if chance] == [3, 5]
    assert (red.quality, red.loss) == ("best", 0)
    assert (red.qualities[7], red.qualities[6]) == ("blunder", "mistake")
    assert red.losses[7] == pytest.approx(0.218, abs=0.01)
    assert red.hindsight == pytest.approx((max(column) - column[4]) / 2), "the best reply to the actual pick"
    assert open_turn.after == column[4], "the matrix entry of both picks"
    assert open_turn.swing == pytest.approx((column[4] - open_turn.solution.value) / 2)
    assert red.crowd is not None
    assert red.crowd.mean_loss == pytest.approx(red.losses[7] / 3)
    assert red.crowd.gain == pytest.approx(red.crowd.mean_loss)
    assert red.crowd.exploitability >= red.crowd.mean_loss
    assert open_turn.sides["yellow"].crowd is None, "one voter is no crowd"


def test_packing_keeps_all_but_doubtful_classes_of_earlier_versions(open_turn: AnalyzedTurn) -> None:
    packed = pack_analysis(open_turn)
    assert unpack_analysis(packed) == open_turn
    assert len(packed) < 2048
    estimate = msgspec.structs.replace(open_turn, solution=replace(open_turn.solution, is_exact=False))
    assert estimate.sides["red"].qualities[6] == "mistake"
    assert unpack_analysis(pack_analysis(estimate)).sides["red"].qualities[6] is None
    won = Solution(1, (0, 1), (1, 0), ((1, -1), (1, 1)), is_exact=True, depth=2)
    earlier = AnalyzedSide(pick=1, losses={1: 0, 2: 0}, qualities={1: "best", 2: "best"})
    packed = pack_analysis(AnalyzedTurn(solution=won, sides={"red": earlier}, after=-1))
    again = unpack_analysis(packed).sides["red"]
    assert (again.losses, again.qualities) == ({1: 1, 2: 0}, {1: "blunder", 2: "best"})


def test_side_without_pick_and_secret_half_have_no_position_after_it() -> None:
    solution = solve_after([(1, 2), (1, 3), (1, 2)], token="red")
    turn = analyze_turn(solution, Picks(None, 3), {"red": {1: 3}, "yellow": {}})
    red = turn.sides["red"]
    assert (red.pick, red.loss, red.quality, red.hindsight, red.crowd) == (None,) * 5
    assert turn.swing is None
    half = analyze_turn(solution, Picks(7, 3), {"red": {7: 3}}, is_complete=False)
    assert half.sides.keys() == {"red"}
    assert half.sides["red"].hindsight is not None
    assert half.after is None


def test_classic_game_judges_only_the_side_to_move() -> None:
    drops = [(1, None), (None, 2), (1, None), (None, 2), (1, None), (None, 3)]
    turn = analyze_turn(solve_after(drops, game=CLASSIC, first="red"), Picks(7, None), {"red": {1: 1, 7: 2}})
    red = turn.sides["red"]
    assert turn.solution.value == 1
    assert red.loss is not None
    assert turn.swing == pytest.approx(-red.loss)
    assert red.hindsight is None
    assert red.crowd is not None
    assert red.crowd.gain < 0, "the majority was wrong"


def test_answer_follows_from_students_interval() -> None:
    def measure(gains: Sequence[float]) -> Wisdom:
        wisdom = measure_wisdom([Crowd(mean_loss=0.1, gain=gain, exploitability=0.2) for gain in gains])
        assert wisdom is not None
        return wisdom

    for gains, answer in (
        ([0.05] * 4, "too few turns"),
        ([0.04, 0.05, 0.06, 0.05, 0.05], "yes"),
        ([-0.04, -0.05, -0.06, -0.05, -0.05], "no"),
        ([0.3, -0.1, 0.0, 0.0, 0.0], "unclear"),
        ([0.0] * 5, "unclear"),
    ):
        assert measure(gains).answer == answer
    wisdom = measure([0.01, 0.02, 0.03, 0.04, 0.05])
    assert wisdom.turns == 5
    assert (wisdom.gain, wisdom.pick_loss) == pytest.approx((0.03, 0.07))
    assert wisdom.margin == pytest.approx(2.776 * 0.0158113883 / 5**0.5)
    assert measure_wisdom([]) is None
    table = {4: 2.776, 18: 2.101, 19: 2.093, 30: 2.042, 60: 2.000, 1000: 1.962}
    assert {freedom: _t95(freedom) for freedom in table} == pytest.approx(table, abs=0.006)
    assert min(table) >= MIN_TURNS - 1


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
    assert vote_shares([3, 0, 1], 4, 1) == {1: 0.75, 2: 0, 3: 0.25}
    assert vote_shares([1, 0, 0], 1, 1) == {}, "of more than one voter"
    assert vote_shares([15, 5, 0], 4, 5) == {}, "of ballots without points"


def turn(before: float, after: float | None, red: int = 1, yellow: int = 1) -> AnalyzedTurn:
    """A turn with these values for red. Column 3 is a mistake of red; yellow's choices are all alike."""
    analysis = played(red, yellow, replace(OPEN, value=before))
    return AnalyzedTurn(solution=analysis.solution, sides=played(red, yellow).sides, after=after)


def test_turning_point_and_decisive_mistake_are_found() -> None:
    """Where the winner's chance rose the most, and the loser's costliest choice, the last of several."""
    match = {1: turn(0.0, -0.5), 2: turn(-0.5, -0.3), 3: turn(-0.3, 0.1), 4: turn(0.1, None)}
    assert deciding_turns.find_turning_turn(match, "red") == 3
    assert deciding_turns.find_turning_turn(match, "yellow") == 1
    assert deciding_turns.find_turning_turn({1: turn(0.5, 0.5)}, "red") is None
    match = {1: turn(0.2, 0.1, red=3), 2: turn(0.2, 0.1, red=3), 3: turn(0.2, 0.1, red=4), 4: turn(0.1, 0.1)}
    winners: tuple[Side | None, ...] = ("yellow", None, "red")
    assert [deciding_turns.find_decisive_mistake(match, winner) for winner in winners] == [2, 2, None]


def test_missed_win_counts_turns_with_a_certain_win() -> None:
    match = {1: turn(0.9, 1.0), 2: turn(1.0, 1.0), 3: turn(1.0, None), 4: turn(1.0, 0.2), 5: turn(0.2, -1.0)}
    missed = MissedWin(side="red", turns=2)
    found = [deciding_turns.find_missed_win(match, winner) for winner in ("red", "yellow", None)]
    assert found == [None, missed, missed]


def boards(turns: Turns, game: str = SIMULTANEOUS, **options: object) -> list[Board]:
    """After each turn."""
    return [find_game(game).view(state, None) for state in states(turns, game, **options)[1:]]


@pytest.mark.parametrize(
    ("turns", "side", "threats"),
    [
        (THREE_UP, "red", (1,)),
        (THREE_UP, "yellow", ()),
        ([(1, 7), (2, 7), (4, 6)], "red", (3,)),
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
