"""Puzzles with one solution each, which the solver proves.

win: One column wins for certain, whatever the opponent plays, and no other does.
safe: After every other column, some reply lets the opponent win for certain.
mix: Of four ways to draw a column, one is the perfect mix, and the others are worth clearly less.
"""

from collections.abc import Callable, Iterator

from games.engine.game import SIDES, Side
from games.solver.positions import EXACT_CELLS, Position
from games.solver.puzzle import Kind, Puzzle, Weights
from games.solver.solution import Solution
from games.solver.solver import solve, solve_depth

Payoffs = dict[int, tuple[float, ...]]

MIX_PARTS = 12  # of a mix's weights
DEPTHS = range(2, 5)
MIN_CHOICES = 4  # open columns
CHOICES = 4  # mixes
SHARES = (2, 3, 4, 6, 8, 9, 10)
MIN_ADVANTAGE = 0.1  # of a value: 5 percentage points
TOLERANCE = 1e-9


def find_puzzles(position: Position) -> Iterator[Puzzle]:
    """Yield the puzzle that a position poses to each side, if that has one solution."""
    if position.free_cells > EXACT_CELLS:
        return
    solution = solve(position)
    for side in SIDES:
        payoffs = read_payoffs(solution, side)
        puzzle = _find_column(position, side, payoffs) or _find_mix(solution, side)
        if puzzle and len(payoffs) >= MIN_CHOICES:
            yield puzzle


def _find_column(position: Position, side: Side, payoffs: Payoffs) -> Puzzle | None:
    for kind, look in GOOD_COLUMNS.items():
        good = look(payoffs)
        if len(good) == 1 and (depth := _find_depth(position, side, look)):
            return Puzzle(kind, side, good[0], depth, _count_tempting(position, side, good[0]))
    return None


def read_payoffs(solution: Solution, side: Side) -> Payoffs:
    """Return the side's values of its open columns, from 1, against each reply."""
    rows = solution.matrix if side == "red" else zip(*solution.matrix, strict=True)
    sign = 1 if side == "red" else -1
    known = {
        column: tuple(sign * value for value in row if value is not None)
        for column, row in enumerate(rows, 1)
    }
    return {column: row for column, row in known.items() if row}


def guaranteed(payoffs: Payoffs, mix: Weights) -> float:
    """Return the value that a mix has against the best reply to it."""
    rows = [[weight * value for value in payoffs[column]] for column, weight in enumerate(mix, 1) if weight]
    return min(map(sum, zip(*rows, strict=True))) / MIX_PARTS


def _winning(payoffs: Payoffs) -> list[int]:
    return [column for column, row in payoffs.items() if min(row) >= 1 - TOLERANCE]


def _safe(payoffs: Payoffs) -> list[int]:
    return [column for column, row in payoffs.items() if min(row) > TOLERANCE - 1]


GOOD_COLUMNS: dict[Kind, Callable[[Payoffs], list[int]]] = {"win": _winning, "safe": _safe}


def _find_depth(position: Position, side: Side, look: Callable[[Payoffs], list[int]]) -> int:
    """Return how many turns deep one has to look to see that there is one solution; 0 if not 2 to 4."""
    for depth in range(1, DEPTHS.stop):
        if len(look(read_payoffs(solve_depth(position, depth), side))) == 1:
            return depth if depth in DEPTHS else 0
    return 0


def _count_tempting(position: Position, side: Side, answer: int) -> int:
    """Count the other columns whose mean is at least the answer's when one looks a turn ahead."""
    seen = {
        column: sum(row) / len(row) for column, row in read_payoffs(solve_depth(position, 1), side).items()
    }
    return sum(mean >= seen[answer] for column, mean in seen.items() if column != answer)


def _find_mix(solution: Solution, side: Side) -> Puzzle | None:
    """Ask for a mix of two columns, with the three best of the plain ones that are clearly worse."""
    payoffs = read_payoffs(solution, side)
    chances = solution.red_mix if side == "red" else solution.yellow_mix
    perfect = tuple(round(MIX_PARTS * chance) for chance in chances)
    value = solution.value if side == "red" else -solution.value
    if perfect.count(0) != len(perfect) - 2 or not set(perfect) <= {0, *SHARES}:
        return None
    if abs(guaranteed(payoffs, perfect) - value) > TOLERANCE:
        return None
    guarantees = {mix: guaranteed(payoffs, mix) for mix in _plain_mixes(len(chances), payoffs, perfect)}
    clear = [mix for mix, worth in guarantees.items() if worth <= value - MIN_ADVANTAGE]
    worst = sorted(clear, key=lambda mix: (-guarantees[mix], mix))[: CHOICES - 1]
    if len(worst) < CHOICES - 1 or abs(value) >= 1 - TOLERANCE:
        return None
    mixes = tuple(sorted((perfect, *worst), reverse=True))
    tempting = sum(guarantees[mix] > value - 2 * MIN_ADVANTAGE for mix in worst)
    return Puzzle("mix", side, 1 + mixes.index(perfect), 0, tempting, mixes)


def _plain_mixes(width: int, payoffs: Payoffs, perfect: Weights) -> Iterator[Weights]:
    """Yield each column alone, and other shares of the two columns of the perfect mix."""
    for column in payoffs:
        yield tuple(MIX_PARTS * (place == column) for place in range(1, width + 1))
    one, two = (place for place, weight in enumerate(perfect) if weight)
    for share in SHARES:
        mix = tuple({one: share, two: MIX_PARTS - share}.get(place, 0) for place in range(width))
        if mix != perfect:
            yield mix
