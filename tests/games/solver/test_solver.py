"""Solutions, compared with brute force and with a plain search."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest

from games.engine.game import Picks
from games.engine.registry import find_game
from games.rules.simultaneous_captains_mistress import GAME, Options, State
from games.solver.module import SolverModule
from games.solver.positions import EXACT_CELLS, read_position
from games.solver.solution import Solution
from games.solver.solver import solve
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
    rows = [
        (chance, row)
        for chance, row in zip(reds, solution.matrix, strict=True)
        if any(x is not None for x in row)
    ]
    assert sum(reds) == pytest.approx(1)
    assert sum(yellows) == pytest.approx(1)
    assert min(*reds, *yellows) >= 0
    for _, row in rows:
        mean = sum(chance * cell for chance, cell in zip(yellows, row, strict=True) if cell is not None)
        assert mean <= solution.value + CLOSE
    for column in range(len(yellows)):
        cells = [(chance, row[column]) for chance, row in rows]
        if all(cell is not None for _, cell in cells):
            assert sum(chance * (cell or 0) for chance, cell in cells) >= solution.value - CLOSE


@pytest.mark.parametrize("slug", [SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC])
def test_solver_agrees_with_brute_force(slug: str) -> None:
    random = Random(7)
    for _ in range(25):
        sample = random_sample(slug, random.randint(1, 8), random)
        solution = solve(sample.position)
        assert solution.is_exact
        assert_same_as_brute_force(sample, solution)
        assert_equilibrium(solution)


@pytest.mark.nightly
@pytest.mark.parametrize("slug", [SIMULTANEOUS, CLASSIC])
def test_solver_agrees_with_brute_force_far_from_the_end(slug: str) -> None:
    random = Random(8)
    for _ in range(40):
        sample = random_sample(slug, random.randint(9, 12), random)
        assert_same_as_brute_force(sample, solve(sample.position))


def test_solver_searches_as_deep_as_a_plain_search() -> None:
    random = Random(9)
    weights = read_weights(7, reverse_tie=False)
    for _ in range(6):
        state = played_sample(random.randint(20, 36), random).state
        position = read_position(state)
        assert position is not None
        solution = solve(position, nodes=20)
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
        squared_error += (
            value - module.call("evaluate_position", position.red, position.yellow, yellow_first)
        ) ** 2
        squared_value += value**2
    assert squared_error < 0.4 * squared_value


def test_solution_is_exact_with_eighteen_free_cells_or_less() -> None:
    random = Random(10)
    for _ in range(10):
        sample = played_sample(EXACT_CELLS, random)
        solution = solve(sample.position, nodes=1)
        assert solution.is_exact
        assert_equilibrium(solution)


def test_solution_before_is_an_equilibrium_as_deep_as_the_budget_allows() -> None:
    position = read_position(GAME.start(Options()))
    assert position is not None
    shallow, deep = solve(position, nodes=10), solve(position, nodes=5000)
    assert not shallow.is_exact
    assert 1 <= shallow.depth < deep.depth
    assert_equilibrium(shallow)
    assert_equilibrium(deep)


@pytest.mark.parametrize("slug", [SIMULTANEOUS, SINGLE_SELECTOR, CLASSIC])
def test_equivalent_positions_have_equivalent_solutions(slug: str) -> None:
    opening = Sample(GAME, GAME.start(Options(columns=6, tie="other")))
    samples = [opening, *(random_sample(slug, free, Random(free)) for free in (16, 26, 34, 40))]
    for position in [sample.position for sample in samples]:
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


def test_solution_does_not_depend_on_earlier_ones() -> None:
    random = Random(11)
    samples = [played_sample(free, random) for free in (30, 24, 18, 16)]
    first = [solve(sample.position, nodes=2000) for sample in samples]
    assert [solve(sample.position, nodes=2000) for sample in reversed(samples)] == first[::-1]


def test_solver_answers_threads_one_after_the_other() -> None:
    random = Random(14)
    positions = [played_sample(30, random).position for _ in range(8)]
    alone = [solve(position, nodes=3000) for position in positions]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(partial(solve, nodes=3000), positions)) == alone


def play(*turns: tuple[int, int]) -> State:
    state = GAME.start(Options())
    for red, yellow in turns:
        state = GAME.resolve(state, Picks(red, yellow))[0]
    return state


def test_open_three_of_the_token_holder_wins_in_a_pure_column() -> None:
    position = read_position(play((3, 7), (4, 7), (5, 6)))
    assert position is not None
    solution = solve(position, nodes=2000)
    assert solution.value == 1
    assert max(solution.red_mix) == 1


def test_full_column_has_no_value() -> None:
    position = read_position(play(*[(1, 1)] * 3))
    assert position is not None
    solution = solve(position, nodes=100)
    assert set(solution.matrix[0]) == {None}
    assert {row[0] for row in solution.matrix} == {None}
    assert (solution.red_mix[0], solution.yellow_mix[0]) == (0, 0)


def test_classic_game_has_one_side_to_move() -> None:
    game = find_game(CLASSIC)
    state = game.start(game.options(first="yellow"))
    for column in (1, 4, 1, 4, 2, 4, 2):
        state = game.resolve(
            state, Picks(yellow=column) if game.to_move(state) == ("yellow",) else Picks(column)
        )[0]
    position = read_position(state)
    assert position is not None
    solution = solve(position, nodes=2000)
    assert solution.value == 1
    assert solution.matrix[3] == (1,)
    assert sum(solution.red_mix) == pytest.approx(1)
    assert solution.yellow_mix == ()
    assert [len(row) for row in solution.matrix] == [1] * 7


def test_other_games_have_no_solver() -> None:
    for slug in ("goofspiel", "trails"):
        game = find_game(slug)
        assert read_position(game.start(game.draw_lots(game.options(), 0))) is None
