import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games.engine.game import SIDES, Game, Picks
from games.engine.registry import find_game
from games.rules.columns import Grid
from games.rules.simultaneous_captains_mistress import GAME, Options, State
from games.solver.judgment import classify, column_losses, hindsight_loss, judge_crowd, winning_chance
from games.solver.module import SolverModule
from games.solver.positions import EXACT_CELLS, Position, read_position
from games.solver.solution import ESTIMATE_MARGIN, Solution
from games.solver.solve_answer import WORTH
from games.solver.solver import solve, solve_depth
from games.solver.weights import read_weights
from tests.games.solver import sampling

CLOSE = 1e-9
LINE_STATES = 8**4
COLUMN_STATES = 127
Line = tuple[tuple[int, int], ...]
#: Matching pennies in columns 1 and 2: red wins if both pick the same. Column 3 loses for both, 4 is full.
PENNIES_MATRIX = ((1, -1, 1, None), (-1, 1, 1, None), (-1, -1, 0, None), (None,) * 4)
PENNIES = Solution(0, (0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0), PENNIES_MATRIX, is_exact=True, depth=1)
EXACT = {0.02: "best", 0.05: "good", 0.1: "inaccuracy", 0.2: "mistake", 0.21: "blunder"}
CERTAIN_WIN = {1: "best", 1 - 2e-16: "best", -1: "blunder", 0.9: None, 0.2: "blunder"}
LOSS = 0.2 + ESTIMATE_MARGIN


def assert_equilibrium(solution: Solution) -> None:
    """Check that each mix is a distribution, and that neither side gains by any other column."""
    reds, yellows = solution.red_mix or (1.0,), solution.yellow_mix or (1.0,)
    assert abs(sum(reds) - 1) < CLOSE > abs(sum(yellows) - 1)
    assert min(*reds, *yellows, 0) >= 0
    pairs = list(zip(reds, solution.matrix, strict=True))
    rows = [(chance, row) for chance, row in pairs if any(cell is not None for cell in row)]
    assert abs(sum(chance for chance, _ in rows) - 1) < CLOSE, "full columns have no chance"
    for _, row in rows:
        mean = sum(chance * cell for chance, cell in zip(yellows, row, strict=True) if cell is not None)
        assert mean <= solution.value + CLOSE
    for column in range(len(yellows)):
        cells = [(chance, cell) for chance, row in rows if (cell := row[column]) is not None]
        assert not cells or sum(chance * cell for chance, cell in cells) >= solution.value - CLOSE


def replies(game: Game[Any], state: Any, solution: Solution) -> Iterator[tuple[float, Any]]:
    """Yield each open cell of the solution's matrix, and the state after its columns by the rules."""
    reds, yellows = (game.legal_actions(state, side) or (None,) for side in ("red", "yellow"))
    cells = [[cell for cell in row if cell is not None] for row in solution.matrix]
    for red, row in zip(reds, filter(None, cells), strict=True):
        for yellow, cell in zip(yellows, row, strict=True):
            yield cell, game.resolve(state, Picks(red, yellow))[0]


@pytest.mark.parametrize("free_cells", [(1, 8), pytest.param((9, 10), marks=pytest.mark.nightly)])
@pytest.mark.parametrize("slug", [sampling.SIMULTANEOUS, sampling.SINGLE_SELECTOR, sampling.CLASSIC])
def test_exact_solution_is_an_equilibrium_in_every_next_state(slug: str, free_cells: tuple[int, int]) -> None:
    """From the end of a match backwards, this proves the value and every cell of the matrix."""
    random = Random(7)
    for _ in range(5):
        sample = sampling.random_sample(slug, random.randint(*free_cells), random)
        game, state = sample.game, sample.state
        if slug == sampling.SINGLE_SELECTOR:
            game, state = GAME, state.board
            assert solve(sample.position) == solve(sampling.Sample(game, state).position)

        @cache
        def value(state: Any, game: Game[Any] = game) -> float:
            if game.result(state) != "open":
                return WORTH[game.result(state)]
            solution = solve(sampling.Sample(game, state).position)
            assert solution.is_exact
            assert_equilibrium(solution)
            for cell, after in replies(game, state, solution):
                assert abs(cell - value(after)) < CLOSE
            return solution.value

        value(state)


def evaluate(state: State, weights: Sequence[float]) -> float:
    total = sum(weights[feature] for feature in _features(state.grid, state.token[0].upper()))
    value = total / sqrt(1 + total * total)
    return value if state.token == "red" else -value


def _features(grid: Grid, own: str) -> Iterator[int]:
    numbered: dict[Line, int] = {}
    for line in _lines(len(grid.stacks), grid.rows):
        mirrored = tuple((len(grid.stacks) - 1 - column, row) for column, row in reversed(line))
        cells = mirrored if mirrored in numbered else line
        number = numbered.setdefault(cells, len(numbered))
        yield number * LINE_STATES + _line_state(grid, own, line if cells == line else tuple(reversed(line)))
    after_lines = len(numbered) * LINE_STATES
    states = [_column_state(stack, own) for stack in grid.stacks]
    for column, pair in enumerate(pairwise(states)):
        twin = len(states) - 2 - column
        first, second = pair if column <= twin else reversed(pair)
        yield after_lines + (min(column, twin) * COLUMN_STATES + first) * COLUMN_STATES + second


def _lines(columns: int, rows: int) -> Iterator[Line]:
    for rise in (-1, 0, 1):
        for column in range(columns - 3):
            for row in range(rows):
                if 0 <= row + 3 * rise < rows:
                    yield tuple((column + step, row + step * rise) for step in range(4))


def _line_state(grid: Grid, own: str, line: Line) -> int:
    state = 0
    for column, row in line:
        stack = grid.stacks[column]
        state = state * 8 + (int(stack[row] == own) if row < len(stack) else 2 + row - len(stack))
    return state


def _column_state(stack: str, own: str) -> int:
    pieces = sum(1 << row for row, ball in enumerate(stack) if ball == own)
    return (1 << len(stack)) - 1 + pieces


def test_search_is_an_equilibrium_of_the_turns_ahead_and_ends_with_the_evaluation() -> None:
    random, weights = Random(9), read_weights(7, reverse_tie=False)

    def search(state: Any, depth: int) -> float:
        if GAME.result(state) != "open":
            return WORTH[GAME.result(state)]
        if depth == 0:
            return evaluate(state, weights)
        solution = solve_depth(sampling.Sample(GAME, state).position, depth)
        assert_equilibrium(solution)
        for cell, after in replies(GAME, state, solution):
            assert cell == pytest.approx(search(after, depth - 1), abs=1e-5)
        return solution.value

    for depth in (1, 2):
        search(sampling.played_sample(random.randint(20, 36), random).state, depth)


def test_solution_is_exact_with_eighteen_free_cells_and_nearly_equal_columns() -> None:
    random = Random(10)
    for _ in range(10):
        solution = solve(sampling.played_sample(EXACT_CELLS, random).position, nodes=1)
        assert solution.is_exact
        assert_equilibrium(solution)
    position = Position(7, 0x8B090CC420B, 0x44863238584, "red")  # a tiny pivot misled the simplex method
    assert solve(position).value == pytest.approx(0.469131468001682, abs=CLOSE)  # by brute force


def test_solution_before_is_an_equilibrium_as_deep_as_the_budget_allows() -> None:
    position = sampling.Sample(GAME, GAME.start(Options())).position
    shallow, deep = solve(position, nodes=10), solve(position, nodes=5000)
    assert not shallow.is_exact
    assert 1 <= shallow.depth < deep.depth
    for solution in (shallow, deep):
        assert_equilibrium(solution)


@pytest.mark.parametrize("slug", [sampling.SIMULTANEOUS, sampling.SINGLE_SELECTOR, sampling.CLASSIC])
def test_equivalent_positions_have_equivalent_solutions(slug: str) -> None:
    opening = sampling.Sample(GAME, GAME.start(Options(columns=6, tie="other")))
    samples = [opening, *(sampling.random_sample(slug, free, Random(free)) for free in (16, 22, 26, 34, 40))]
    for position in (sample.position for sample in samples):
        solution = solve(position, nodes=2000)
        assert solve(position.mirrored(), nodes=2000) == solution.mirrored()
        assert solve(position.exchanged(), nodes=2000) == solution.exchanged()


@pytest.mark.nightly
def test_positions_that_share_a_table_entry_are_distinguished() -> None:
    random = Random(13)
    tiny = SolverModule(7, reverse_tie=False, table_bits=4)
    for _ in range(10):
        position = sampling.played_sample(14, random).position
        tiny.call("forget")
        tiny.call("solve", position.red, position.yellow, int(position.first == "yellow"), 42, 10**9)
        assert tiny.read_answer().value == pytest.approx(solve(position).value, abs=CLOSE)


def test_solution_depends_on_no_earlier_one_and_on_no_thread() -> None:
    random = Random(11)
    positions = [sampling.played_sample(free, random).position for free in (30, 24, 18, 16, 30, 30, 30, 30)]
    solve_limited = partial(solve, nodes=2000)
    first = [*map(solve_limited, positions)]
    assert [*map(solve_limited, reversed(positions))] == first[::-1]
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(solve_limited, positions)] == first


def test_other_games_have_no_solver() -> None:
    for slug in ("goofspiel", "trails"):
        game = find_game(slug)
        assert read_position(game.start(game.draw_lots(game.options(), 0))) is None


def test_analysis_is_the_stored_one_which_browsers_compute_too() -> None:
    for line in Path("tests/games/solver/analyses.ndjson").read_text().splitlines():
        stored = json.loads(line)
        red, yellow = int(stored["red"], 16), int(stored["yellow"], 16)
        solution = solve(Position(stored["columns"], red, yellow, stored["first"]))
        assert (solution.is_exact, solution.value) == (stored["isExact"], stored["value"])
        assert [list(solution.red_mix), list(solution.yellow_mix)] == [stored["redMix"], stored["yellowMix"]]
        assert [list(row) for row in solution.matrix] == stored["matrix"]


def test_columns_cost_what_the_equilibrium_or_in_hindsight_the_reply_takes() -> None:
    for side in SIDES:
        assert column_losses(PENNIES, side) == {1: 0, 2: 0, 3: 0.5}
    assert (classify(PENNIES, "red", 1), classify(PENNIES, "yellow", 3)) == ("best", "blunder")
    assert hindsight_loss(PENNIES, "red", 1, 2) == 1
    assert hindsight_loss(PENNIES, "yellow", 2, 1) == 0
    assert hindsight_loss(PENNIES, "yellow", 1, 1) == 1
    classic = Solution(-1, (), (0, 1, 0), ((1, -1, 0),), True, 5)
    assert column_losses(classic, "yellow") == {1: 1, 2: 0, 3: 0.5}
    assert winning_chance(classic, "red") == 0


def test_crowd_is_wiser_than_its_average_member() -> None:
    judged = judge_crowd(PENNIES, "red", {1: 60, 2: 20, 3: 20}, pick=1)
    assert [judged.mean_loss, judged.gain] == pytest.approx([0.1, 0.1])
    # Yellow picks column 2: red wins with 20 of 100 votes, and 0.5 is the fair share.
    assert judged.exploitability == pytest.approx(0.3)
    assert judge_crowd(PENNIES, "yellow", {1: 7, 2: 7}, pick=2).exploitability == 0
    with pytest.raises(ValueError, match="nobody"):
        judge_crowd(PENNIES, "red", {}, pick=1)


@pytest.mark.parametrize(
    ("value", "second", "is_exact", "qualities"),
    [
        *((0, -2 * loss, True, ("best", quality)) for loss, quality in EXACT.items()),
        (0, -2 * (LOSS + 0.001), False, (None, "blunder")),  # the first may be worse than one outside the mix
        (0, -2 * (LOSS - 0.001), False, (None, None)),
        *((1, second, False, ("best", quality)) for second, quality in CERTAIN_WIN.items()),
    ],
)
def test_columns_are_classified_by_what_they_cost_if_that_is_certain(
    value: float, second: float, is_exact: bool, qualities: tuple[str | None, ...]
) -> None:
    solution = Solution(value, (1, 0), (1,), ((value,), (second,)), is_exact, 3)
    assert (classify(solution, "red", 1), classify(solution, "red", 2)) == qualities
    assert (solution.margin == 0) is (is_exact or value == 1)


def test_column_that_gives_a_certain_win_away_is_a_blunder_whatever_the_loser_plays() -> None:
    won = Solution(1, (0, 1), (1, 0), ((1, -1), (1, 1)), is_exact=True, depth=2)
    assert [classify(won, "red", column) for column in (1, 2)] == ["blunder", "best"]
    assert column_losses(won, "yellow") == {1: 0, 2: 0}


def test_no_column_in_an_equilibrium_costs_anything() -> None:
    random = Random(4)
    for _ in range(4):
        solution = solve(sampling.played_sample(14, random).position)
        for side, mix in zip(SIDES, (solution.red_mix, solution.yellow_mix), strict=True):
            losses = column_losses(solution, side)
            assert min(losses.values()) == pytest.approx(0, abs=1e-9)
            mixed = [losses[column] for column, chance in enumerate(mix, 1) if chance > 1e-9]
            assert mixed == pytest.approx([0] * len(mixed), abs=1e-9)
