"""The solver: exact near the end of a match, and as deep as its budget allows before.

A position, its mirror image, and both with the colors exchanged are solved as one position. So their answers
agree, also where they are estimates.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import ceil
from threading import Lock

from games.engine.game import SIDES
from games.solver.module import SolverModule
from games.solver.positions import EXACT_CELLS, Position
from games.solver.solution import Solution
from games.solver.weights import read_weights

LIKELY_EXACT_CELLS = 22
EXACT_SHARE = 0.7
TO_THE_END = 63
EXACT = 62  # also to the end, without the evaluation's limits
TABLE_BITS = 20
NODES = 800_000  # 0.6 s
EXACT_NODES_PER_NODE = 3  # so much faster is the exact search of the analysis
UNLIMITED = (1 << 62) - 1
DIGITS = 12  # more are rounding errors

_one_search = Lock()  # threads share the module's memory


class OutOfNodes(Exception):
    """The search was cut off."""


def solve(position: Position, nodes: int = NODES) -> Solution:
    """Solve the turn of an open match.

    With at most 18 free cells the answer is always exact. With at most 22, an exact search gets most of the
    budget. Otherwise, or if that does not suffice, the search deepens turn by turn until the rest is used up,
    and the last complete depth counts. There, what the exact search has proven replaces estimates. `nodes` is
    the budget in positions of this second search. An answer depends on nothing else.
    """
    exact = TO_THE_END if position.is_classic else EXACT
    with _one_search:
        return _solve_normalized(position, lambda normalized: _solve(normalized, nodes, exact))


def solve_for_bots(position: Position) -> Solution:
    """Solve the turn as version 2 of the bots does, with a slower exact search. Its answers never change."""
    with _one_search:
        return _solve_normalized(position, lambda normalized: _solve(normalized, NODES, TO_THE_END))


def solve_depth(position: Position, depth: int) -> Solution:
    """Solve a position so many turns deep. An answer depends on nothing else."""
    with _one_search:
        return _solve_normalized(position, lambda normalized: _solve_depth(normalized, depth))


def _solve_normalized(position: Position, search: Callable[[Position], Solution]) -> Solution:
    """Search the one of the equivalent positions in which red is first, with the smaller columns."""
    if position.first == "yellow":
        return _solve_normalized(position.exchanged(), search).exchanged()
    image = position.mirrored()
    if (image.red, image.yellow) < (position.red, position.yellow):
        return search(image).mirrored()
    solution = search(position)
    return _average(solution, solution.mirrored()) if image == position else solution


def _average(solution: Solution, other: Solution) -> Solution:
    """Return the mean of two solutions of one position: the mean of two equilibria is one."""
    red, yellow = (
        tuple((one + two) / 2 for one, two in zip(*mixes, strict=True))
        for mixes in ((solution.red_mix, other.red_mix), (solution.yellow_mix, other.yellow_mix))
    )
    matrix = tuple(
        tuple(None if one is None or two is None else (one + two) / 2 for one, two in zip(*rows, strict=True))
        for rows in zip(solution.matrix, other.matrix, strict=True)
    )
    return replace(solution, red_mix=red, yellow_mix=yellow, matrix=matrix)


def _solve(position: Position, nodes: int, exact: int) -> Solution:
    module = _module(position.columns, position.reverse_tie)
    module.call("forget")
    if position.free_cells <= EXACT_CELLS:
        return _search(module, position, exact, UNLIMITED)
    if position.free_cells <= LIKELY_EXACT_CELLS:
        limit = EXACT_NODES_PER_NODE * nodes if exact == EXACT else int(nodes * EXACT_SHARE)
        try:
            return _search(module, position, exact, limit)
        except OutOfNodes:
            nodes = nodes // 10 if exact == EXACT else nodes - int(module.call("nodes_searched"))
    return _deepen(module, position, nodes)


def _solve_depth(position: Position, depth: int) -> Solution:
    module = _module(position.columns, position.reverse_tie)
    module.call("forget")
    return _search(module, position, depth, UNLIMITED)


def _deepen(module: SolverModule, position: Position, nodes: int) -> Solution:
    solution = _search(module, position, 1, UNLIMITED)
    depth = 1
    while not solution.is_exact:
        depth += 1
        nodes -= int(module.call("nodes_searched"))
        try:
            solution = _search(module, position, depth, max(nodes, 0))
        except OutOfNodes:
            break
    return solution


@cache
def _module(columns: int, reverse_tie: bool) -> SolverModule:
    module = SolverModule(columns, reverse_tie, TABLE_BITS)
    module.write_weights(read_weights(columns, reverse_tie))
    return module


def _search(module: SolverModule, position: Position, depth: int, nodes: int) -> Solution:
    """Raises OutOfNodes if `nodes` did not suffice."""
    function = "solve_classic" if position.is_classic else "solve"
    first = int(position.first == "yellow")
    reached = int(module.call(function, position.red, position.yellow, first, depth, nodes))
    if not reached:
        raise OutOfNodes
    return _read_solution(module, position, reached)


def _read_solution(module: SolverModule, position: Position, depth: int) -> Solution:
    answer = module.read_answer()
    columns = range(position.columns)
    moves_red, moves_yellow = (not position.is_classic or position.first == side for side in SIDES)
    red_columns = columns if moves_red else range(1)
    yellow_columns = columns if moves_yellow else range(1)
    is_open = [position.is_open(column) for column in columns]
    red_open = is_open if moves_red else [True]
    yellow_open = is_open if moves_yellow else [True]
    per_turn = 1 if position.is_classic else 2
    return Solution(
        value=round(answer.value, DIGITS),
        red_mix=tuple(round(answer.red_mix[i], DIGITS) for i in columns) if moves_red else (),
        yellow_mix=tuple(round(answer.yellow_mix[j], DIGITS) for j in columns) if moves_yellow else (),
        matrix=tuple(
            tuple(
                round(answer.matrix[i][j], DIGITS) if red_open[i] and yellow_open[j] else None
                for j in yellow_columns
            )
            for i in red_columns
        ),
        is_exact=depth == TO_THE_END,
        depth=min(depth, ceil(position.free_cells / per_turn)),
    )
