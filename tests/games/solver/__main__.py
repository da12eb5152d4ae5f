"""`make bench-solver`: the solver and the bots, measured, as a table in docs/generated/solver.md."""

from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import sqrt
from pathlib import Path
from random import Random
from statistics import median
from time import process_time, time

from games.bots.bots import STRENGTHS
from games.engine.game import SIDES
from games.solver.judgment import column_losses
from games.solver.solution import ESTIMATE_MARGIN, Solution
from games.solver.solver import UNLIMITED, solve
from tests.games.solver.ladder import play_game, time_picks
from tests.games.solver.sampling import Sample, played_sample

TABLE = Path(__file__).parents[3] / "docs" / "generated" / "solver.md"
BOOK = """# Solver and bots: speed, accuracy, strength

Written by `make bench-solver`, on one core. Each position comes from a match between two good players who
choose a random column now and then. A draw between two bots gives each half a point.

| what | positions or games | target | measured |
| --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    positions: int
    target: str
    measured: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.positions:,} | {self.target} | {self.measured} |"


def timed(sample: Sample, nodes: int | None = None) -> tuple[Solution, float]:
    """Return the solution and the CPU time in milliseconds."""
    start = process_time()
    solution = solve(sample.position) if nodes is None else solve(sample.position, nodes)
    return solution, (process_time() - start) * 1000


def measure_speed(free_cells: int, count: int, random: Random) -> Row:
    times = sorted(timed(played_sample(free_cells, random))[1] for _ in range(count))
    figures = f"{median(times):.0f} ms; {times[int(len(times) * 0.99)]:.0f} ms; {times[-1]:.0f} ms"
    return Row(f"time with {free_cells} free cells: median, p99, longest", count, "≤ 1 s", figures)


def measure_depth(free_cells: int, count: int, random: Random) -> Row:
    depths = [solve(played_sample(free_cells, random).position).depth for _ in range(count)]
    return Row(
        f"turns searched with {free_cells} free cells: median, least",
        count,
        "",
        f"{median(depths):.0f}; {min(depths)}",
    )


def measure_accuracy(count: int, seed: int) -> list[Row]:
    """Compare answers within the budget to exact ones, with 20 to 22 free cells."""
    with ProcessPoolExecutor() as pool:
        comparisons = list(pool.map(compare_with_exact, range(seed, seed + count)))
    exact, losses, errors, cost_errors = zip(*comparisons, strict=True)
    error = sqrt(sum(error**2 for error in errors) / count)
    what = "with 20 to 22 free cells"
    loss = f"{sum(losses) / count:.4f}; {max(losses):.3f}"
    return [
        Row(f"solved exactly within the budget, {what}", count, "", f"{sum(exact) / count:.1%}"),
        Row(f"exploitability of the mixes, {what}: mean, largest", count, "≤ 0.02", loss),
        Row(f"RMS error of the value, {what}", count, "≤ 0.05", f"{error:.4f}"),
        _cost_error_row(sorted(chain(*cost_errors)), sum(not one for one in exact), what),
    ]


def _cost_error_row(errors: Sequence[float], estimates: int, what: str) -> Row:
    rms = sqrt(sum(error**2 for error in errors) / len(errors))
    shares = [errors[int(len(errors) * share)] for share in (0.9, 0.95, 0.99)]
    figures = "; ".join(f"{figure:.3f}" for figure in (rms, *shares, errors[-1]))
    target = f"p95 ≤ {ESTIMATE_MARGIN}"
    return Row(f"error of estimated costs, {what}: RMS, p90, p95, p99, largest", estimates, target, figures)


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
    rows = [row for row in full.matrix if set(row) != {None}]
    open_columns = [j for j, cell in enumerate(rows[0]) if cell is not None]
    reds = [chance for chance, row in zip(limited.red_mix, full.matrix, strict=True) if set(row) != {None}]
    against_red = min(
        sum(chance * (row[j] or 0) for chance, row in zip(reds, rows, strict=True)) for j in open_columns
    )
    against_yellow = max(sum(limited.yellow_mix[j] * (row[j] or 0) for j in open_columns) for row in rows)
    return (against_yellow - against_red) / 2


def measure_ladder(count: int, seed: int) -> list[Row]:
    """Let each strength play the one below, on both sides."""
    rows = []
    for strength in sorted(STRENGTHS)[1:]:
        with ProcessPoolExecutor() as pool:
            points = pool.map(partial(play_game, strength), range(seed, seed + count), chunksize=10)
            share = sum(points) / count
        error = 2 * sqrt(share * (1 - share) / count)
        what = f"games of bot {strength} against bot {strength - 1}: share of points"
        rows.append(Row(what, count, "57% to 80%", f"{share:.1%} ± {error:.1%}"))
    return rows


def measure_picks(count: int, random: Random) -> Row:
    times = sorted(time_picks(played_sample(random.randint(6, 42), random)) for _ in range(count))
    figures = f"{median(times):.0f} ms; {times[int(len(times) * 0.99)]:.0f} ms"
    return Row("time a pick of the bots 1 to 4: median, p99", count, "≤ 15 ms", figures)


def main() -> None:
    parser = ArgumentParser(prog="make bench-solver", description=__doc__)
    parser.add_argument(
        "--positions", type=int, default=1000, help="positions for the accuracy (default: 1000)"
    )
    parser.add_argument(
        "--games", type=int, default=1000, help="games between bots of neighboring strengths (default: 1000)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=TABLE)
    given = parser.parse_args()
    random = Random(given.seed)
    started = time()
    rows = [
        *(
            measure_speed(free, given.positions if free <= 18 else given.positions // 10, random)
            for free in (14, 18, 20, 22, 26, 34, 42)
        ),
        *(measure_depth(free, 20, random) for free in (24, 30, 36, 42)),
        *measure_accuracy(given.positions, given.seed),
        measure_picks(given.positions, random),
        *measure_ladder(given.games, given.seed),
    ]
    given.output.write_text(BOOK + "\n".join(map(str, rows)) + "\n")
    print(f"\n{given.output.read_text()}\n{time() - started:.0f} s")


if __name__ == "__main__":
    main()
