"""Solutions, compared with brute force and with a plain search."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random

import pytest

from games.engine.game import Picks
from games.engine.registry import find_game
from games.rules.simultaneous_captains_mistress import GAME, Options
from games.solver.module import SolverModule
from games.solver.positions import EXACT_CELLS, Position, read_position
from games.solver.solution import Solution
from games.solver.solver import EXACT, UNLIMITED, solve
from games.solver.weights import read_weights
from tests.games.solver.brute_force import BruteForce
from tests.games.solver.reference import search
from tests.games.solver.sampling import (
    CLASSIC,
    SIMULTANEOUS,
    SINGLE_SELECTOR,
    Sample,
    played_sample,
    random_sample,
)

CLOSE = 1e-9


def assert_same_as_brute_force(sample: Sample, solution: Solution) -> None:
    """Compare the value and every cell of the matrix."""
    if sample.game.slug == SINGLE_SELECTOR:
        sample = Sample(GAME, sample.state.board)
    brute_force = BruteForce(sample.game)
    open_rows = ([cell for cell in row if cell is not None] for row in solution.matrix)
    matrix = [row for row in open_rows if row]
    assert solution.value == pytest.approx(brute_force.value(sample.state), abs=CLOSE)
    for found, expected in zip(matrix, brute_force.matrix(sample.state), strict=True):
        assert found == pytest.approx(expected, abs=CLOSE)


def assert_equilibrium(solution: Solution) -> None:
    """Check that each mix is a distribution, and that neither side gains by any other column."""
    reds, yellows = solution.red_mix or (1.0,), solution.yellow_mix or (1.0,)
    assert [sum(reds), sum(yellows)] == pytest.approx([1, 1])
    assert min(*reds, *yellows) >= 0
    pairs = list(zip(reds, solution.matrix, strict=True))
    rows = [(chance, row) for chance, row in pairs if any(cell is not None for cell in row)]
    for _, row in rows:
        mean = sum(chance * cell for chance, cell in zip(yellows, row, strict=True) if cell is not None)
        assert mean <= solution.value + CLOSE
    for column in range(len(yellows)):
        cells = [(chance, cell) for chance, row in rows if (cell := row[column]) is not None]
        assert not cells or sum(chance * cell for chance, cell in cells) >= solution.value - CLOSE


@pytest.mark.parametrize("free_cells", [(1, 8), pytest.param((9, 12), marks=pytest.mark.nightly)])
@pytest.mark.parametrize("slug", [SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC])
def test_solver_agrees_with_brute_force(slug: str, free_cells: tuple[int, int]) -> None:
    random = Random(7)
    for _ in range(25):
        sample = random_sample(slug, random.randint(*free_cells), random)
        solution = solve(sample.position)
        assert solution.is_exact
        assert_same_as_brute_force(sample, solution)
        assert_equilibrium(solution)


def test_solver_searches_as_deep_as_a_plain_search() -> None:
    random = Random(9)
    weights = read_weights(7, reverse_tie=False)
    for _ in range(6):
        sample = played_sample(random.randint(20, 36), random)
        state, solution = sample.state, solve(sample.position, nodes=20)
        columns = state.grid.open_columns()
        for red in columns:
            for yellow in columns:
                after = GAME.resolve(state, Picks(red, yellow))[0]
                expected = search(after, solution.depth - 1, weights)
                assert solution.matrix[red - 1][yellow - 1] == pytest.approx(expected, abs=1e-5)
        assert solution.depth in (1, 2)


@pytest.mark.nightly
def test_trained_evaluation_is_close_to_exact_values() -> None:
    random = Random(12)
    module = SolverModule(7, reverse_tie=False, table_bits=8)
    module.write_weights(read_weights(7, reverse_tie=False))
    squared_error = squared_value = 0.0
    for _ in range(40):
        position = played_sample(16, random).position
        value = solve(position).value
        yellow_first = int(position.first == "yellow")
        found = module.call("evaluate_position", position.red, position.yellow, yellow_first)
        squared_error += (value - found) ** 2
        squared_value += value**2
    assert squared_error < 0.4 * squared_value


def test_solution_is_exact_with_eighteen_free_cells_or_less() -> None:
    random = Random(10)
    for _ in range(10):
        sample = played_sample(EXACT_CELLS, random)
        solution = solve(sample.position, nodes=1)
        assert solution.is_exact
        assert_equilibrium(solution)


def test_matrix_of_nearly_equal_columns_is_solved_exactly() -> None:
    position = Position(7, 0x8B090CC420B, 0x44863238584, "red")  # a tiny pivot misled the simplex method
    assert solve(position).value == pytest.approx(0.469131468001682, abs=CLOSE)  # by brute force


def test_estimate_uses_what_exact_search_has_proven() -> None:
    random, errors = Random(14), {1: 0.0, 3000: 0.0}
    module = SolverModule(7, reverse_tie=False, table_bits=16)
    module.write_weights(read_weights(7, reverse_tie=False))
    for _ in range(4):
        position = played_sample(16, random).position
        board = position.red, position.yellow, int(position.first == "yellow")
        for nodes in errors:
            module.call("forget")
            module.call("solve", *board, EXACT, nodes)
            assert module.call("solve", *board, 1, UNLIMITED) == 1
            errors[nodes] += abs(module.read_answer().value - solve(position).value)
    assert errors[3000] < 0.7 * errors[1]


def test_solution_before_is_an_equilibrium_as_deep_as_the_budget_allows() -> None:
    shallow, deep = solve_after(nodes=10), solve_after(nodes=5000)
    assert not shallow.is_exact
    assert 1 <= shallow.depth < deep.depth
    for solution in (shallow, deep):
        assert_equilibrium(solution)


@pytest.mark.parametrize("slug", [SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC])
def test_equivalent_positions_have_equivalent_solutions(slug: str) -> None:
    opening = Sample(GAME, GAME.start(Options(columns=6, tie="other")))
    samples = [opening, *(random_sample(slug, free, Random(free)) for free in (16, 22, 26, 34, 40))]
    for position in (sample.position for sample in samples):
        solution = solve(position, nodes=2000)
        assert solve(position.mirrored(), nodes=2000) == solution.mirrored()
        assert solve(position.exchanged(), nodes=2000) == solution.exchanged()


@pytest.mark.nightly
def test_positions_that_share_a_table_entry_are_distinguished() -> None:
    random = Random(13)
    tiny = SolverModule(7, reverse_tie=False, table_bits=4)
    for _ in range(10):
        position = played_sample(14, random).position
        tiny.call("forget")
        tiny.call("solve", position.red, position.yellow, int(position.first == "yellow"), 42, 10**9)
        assert tiny.read_answer().value == pytest.approx(solve(position).value, abs=CLOSE)


def test_solution_depends_on_no_earlier_one_and_on_no_thread() -> None:
    random = Random(11)
    positions = [played_sample(free, random).position for free in (30, 24, 18, 16, 30, 30, 30, 30)]
    solve_limited = partial(solve, nodes=2000)
    first = [*map(solve_limited, positions)]
    assert [*map(solve_limited, reversed(positions))] == first[::-1]
    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(solve_limited, positions)] == first


def solve_after(*turns: tuple[int, int], nodes: int) -> Solution:
    state = GAME.start(Options())
    for red, yellow in turns:
        state = GAME.resolve(state, Picks(red, yellow))[0]
    return solve(Sample(GAME, state).position, nodes=nodes)


def test_full_column_has_no_value() -> None:
    solution = solve_after(*[(1, 1)] * 3, nodes=100)
    assert set(solution.matrix[0]) == {row[0] for row in solution.matrix} == {None}
    assert (solution.red_mix[0], solution.yellow_mix[0]) == (0, 0)


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
