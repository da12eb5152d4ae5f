"""`make bench-solver`: the solver and the bots, measured, as a table in docs/generated/solver.md."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from math import sqrt
from pathlib import Path
from random import Random
from time import process_time

from games.bots.bots import STRENGTHS, bot_pick, pick_action
from games.engine.game import SIDES, Picks
from games.engine.registry import find_game, read_options
from games.solver.judgment import column_losses
from games.solver.solution import ESTIMATE_MARGIN, Solution
from games.solver.solver import UNLIMITED, solve
from tests.games.solver.sampling import SIMULTANEOUS, played_sample

TABLE = Path(__file__).parents[3] / "docs" / "generated" / "solver.md"
BOOK = """# Solver and bots: speed, accuracy, strength

Written by `make bench-solver`, on one core. Each position comes from a match between two good players who
choose a random column now and then. A draw between two bots gives each half a point.

| what | positions or games | target | measured |
| --- | --- | --- | --- |
"""


def row(what: str, count: int, target: str, measured: str) -> str:
    return f"| {what} | {count:,} | {target} | {measured} |"


def time_ms(call: Callable[[], object]) -> float:
    start = process_time()
    call()
    return (process_time() - start) * 1000


def percentiles(values: Sequence[float], *shares: float) -> list[float]:
    ordered = sorted(values)
    return [ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in shares]


def root_mean_square(values: Sequence[float]) -> float:
    return sqrt(sum(value**2 for value in values) / len(values))


def measure_speed(free_cells: int, count: int, random: Random) -> str:
    positions = (played_sample(free_cells, random).position for _ in range(count))
    times = percentiles([time_ms(partial(solve, position)) for position in positions], 0.5, 0.99, 1)
    figures = "; ".join(f"{time:.0f} ms" for time in times)
    return row(f"time with {free_cells} free cells: median, p99, longest", count, "≤ 1 s", figures)


def measure_accuracy(count: int, seed: int) -> Iterator[str]:
    """Compare answers within the budget to exact ones, with 20 to 22 free cells."""
    with ProcessPoolExecutor() as pool:
        comparisons = pool.map(compare_with_exact, range(seed, seed + count))
        exact, losses, errors, cost_errors = zip(*comparisons, strict=True)
    what = "with 20 to 22 free cells"
    yield row(f"solved exactly within the budget, {what}", count, "≥ 95%", f"{sum(exact) / count:.1%}")
    loss = "; ".join(f"{figure:.4f}" for figure in (sum(losses) / count, *percentiles(losses, 0.99, 1)))
    target = "≤ 0.003; ≤ 0.03; ≤ 0.1"
    yield row(f"exploitability of the mixes, {what}: mean, p99, largest", count, target, loss)
    error = f"{root_mean_square(errors):.4f}; {max(map(abs, errors)):.3f}"
    yield row(f"error of the value, {what}: RMS, largest", count, "≤ 0.02; ≤ 0.15", error)
    costs = list(chain(*cost_errors))
    figures = [root_mean_square(costs), *percentiles(costs, 0.9, 0.95, 0.99, 1)]
    what = f"error of estimated costs, {what}: RMS, p90, p95, p99, largest"
    measured = "; ".join(f"{figure:.3f}" for figure in figures)
    yield row(what, count - sum(exact), f"p95 ≤ {ESTIMATE_MARGIN}", measured)


def compare_with_exact(seed: int) -> tuple[bool, float, float, list[float]]:
    """Return whether the limited answer to a position was exact, its exploitability, and its errors.

    The errors are that of the value and, unless it was exact, those of what each column costs.
    """
    sample = played_sample(20 + 2 * (seed % 2), Random(seed))
    limited, full = solve(sample.position), solve(sample.position, UNLIMITED)
    costs = [
        abs(cost - column_losses(full, side)[column])
        for side in SIDES
        for column, cost in column_losses(limited, side).items()
        if not limited.is_exact
    ]
    return limited.is_exact, exploitability(limited, full), limited.value - full.value, costs


def exploitability(limited: Solution, full: Solution) -> float:
    """Return what a perfect opponent gains against the limited mixes, as the mean of both sides."""

    def replies(mix: Sequence[float], lines: Iterable[Sequence[float | None]]) -> list[float]:
        open_lines = [line for line in lines if set(line) != {None}]
        return [
            sum(chance * (cell or 0) for chance, cell in zip(mix, line, strict=True)) for line in open_lines
        ]

    columns = zip(*full.matrix, strict=True)
    return (max(replies(limited.yellow_mix, full.matrix)) - min(replies(limited.red_mix, columns))) / 2


def measure_ladder(count: int, seed: int) -> Iterator[str]:
    for strength in sorted(STRENGTHS)[1:]:
        with ProcessPoolExecutor() as pool:
            points = pool.map(partial(play_game, strength), range(seed, seed + count), chunksize=10)
            share = sum(points) / count
        error = 2 * sqrt(share * (1 - share) / count)
        what = f"games of bot {strength} against bot {strength - 1}: share of points"
        yield row(what, count, "57% to 80%", f"{share:.1%} ± {error:.1%}")


def play_game(strength: int, seed: int) -> float:
    """Return the points of a bot against the next weaker one. It is red in games with an even seed."""
    game, turn = find_game(SIMULTANEOUS), 0
    strengths = (strength, strength - 1)[:: -1 if seed % 2 else 1]
    state = game.start(game.draw_lots(read_options(game, {}), seed // 2))
    while game.result(state) == "open":
        sides = zip(SIDES, strengths, strict=True)
        picks = {side: pick_action(game, state, side, own, f"{seed}.{turn}") for side, own in sides}
        state, turn = game.resolve(state, Picks(**picks))[0], turn + 1
    return 0.5 if game.result(state) == "draw" else float(game.result(state) == SIDES[seed % 2])


def measure_picks(count: int, random: Random) -> str:
    strengths, times = sorted(STRENGTHS)[:-1], []
    for _ in range(count):
        position = played_sample(random.randint(6, 42), random).position
        picks = (time_ms(partial(bot_pick, position, "red", strength, "seed")) for strength in strengths)
        times.append(sum(picks) / len(strengths))
    figures = "; ".join(f"{time:.0f} ms" for time in percentiles(times, 0.5, 0.99))
    return row("time a pick of the bots 1 to 4: median, p99", count, "≤ 15 ms", figures)


def main() -> None:
    parser = ArgumentParser(prog="make bench-solver", description=__doc__)
    parser.add_argument("--positions", type=int, default=1000, help="positions for the accuracy (1000)")
    parser.add_argument("--games", type=int, default=1000, help="games between neighboring strengths (1000)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random = Random(given.seed)
    rows = [
        *(measure_speed(free, given.positions, random) for free in (14, 18)),
        *(measure_speed(free, given.positions // 10, random) for free in (20, 22, 26, 34, 42)),
        *measure_accuracy(given.positions, given.seed),
        measure_picks(given.positions, random),
        *measure_ladder(given.games, given.seed),
    ]
    TABLE.write_text(BOOK + "\n".join(rows) + "\n")
    print(TABLE.read_text())


if __name__ == "__main__":
    main()
