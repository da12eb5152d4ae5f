"""`make bench-solver`: speed and accuracy of the solver, as a table in docs/generated/solver.md."""

import sys
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from math import sqrt
from pathlib import Path
from random import Random
from statistics import median
from subprocess import run
from tempfile import TemporaryDirectory
from time import process_time, time

from games.solver.positions import BITS_PER_COLUMN, Position
from games.solver.solution import Solution
from games.solver.solver import UNLIMITED, solve
from tests.games.solver.brute_force import BruteForce
from tests.games.solver.sampling import CLASSIC, SIMULTANEOUS, Sample, played_sample, random_sample

RULES_CELLS = 9
TABLE = Path(__file__).parents[3] / "docs" / "generated" / "solver.md"
BOOK = """# Solver: speed and accuracy

Written by `make bench-solver`, on one core. Each position comes from a match between two good players who
choose a random column now and then, except for the comparison with brute force: random columns, all variants.

| what | positions | target | measured |
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
    exact, losses, errors = zip(*comparisons, strict=True)
    error = sqrt(sum(error**2 for error in errors) / count)
    what = "with 20 to 22 free cells"
    loss = f"{sum(losses) / count:.4f}; {max(losses):.3f}"
    return [
        Row(f"solved exactly within the budget, {what}", count, "", f"{sum(exact) / count:.1%}"),
        Row(f"exploitability of the mixes, {what}: mean, largest", count, "≤ 0.02", loss),
        Row(f"RMS error of the value, {what}", count, "≤ 0.05", f"{error:.4f}"),
    ]


def compare_with_exact(seed: int) -> tuple[bool, float, float]:
    """Return whether the limited answer to a position was exact, its exploitability, and its error."""
    sample = played_sample(20 + 2 * (seed % 2), Random(seed))
    limited, full = solve(sample.position), solve(sample.position, UNLIMITED)
    return limited.is_exact, exploitability(limited, full), limited.value - full.value


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


def compare_with_brute_force(count: int, most_cells: int, seed: int) -> list[Row]:
    """Compare the solver with brute force, and that with the rules in `games.rules` where these are fast."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor() as pool:
        program = compile_brute_force(Path(folder))
        solver = pool.map(
            differ_from_brute_force, range(seed, seed + count), repeat(most_cells), repeat(program)
        )
        largest = max(solver, default=0)
        rules = pool.map(differ_from_rules, range(seed, seed + count // 20), repeat(program))
        largest_to_rules = max(rules, default=0)
    what = "largest difference between brute force and"
    return [
        Row(f"{what} solver, up to {most_cells} free cells", count, "≤ 1e-9", f"{largest:.1e}"),
        Row(
            f"{what} rules, up to {RULES_CELLS} free cells", count // 20, "≤ 1e-9", f"{largest_to_rules:.1e}"
        ),
    ]


def compile_brute_force(folder: Path) -> Path:
    """Compile `brute_force.c` for this machine and return the program."""
    program = folder / "brute_force"
    source = Path(__file__).with_name("brute_force.c")
    run([sys.executable, "-m", "ziglang", "cc", "-O2", source, "-o", program], check=True)
    return program


def draw_variant(most_cells: int, seed: int) -> Sample:
    """Return a position of the simultaneous or, every fourth time, the classic game."""
    random = Random(seed)
    return random_sample(CLASSIC if seed % 4 == 0 else SIMULTANEOUS, random.randint(1, most_cells), random)


def differ_from_brute_force(seed: int, most_cells: int, program: Path) -> float:
    position = draw_variant(most_cells, seed).position
    return abs(solve(position).value - brute_force(position, program))


def differ_from_rules(seed: int, program: Path) -> float:
    sample = draw_variant(RULES_CELLS, seed)
    return abs(BruteForce(sample.game).value(sample.state) - brute_force(sample.position, program))


def brute_force(position: Position, program: Path) -> float:
    options = (
        position.columns,
        int(position.is_classic),
        int(position.reverse_tie),
        position.first[0].upper(),
    )
    line = " ".join(map(str, (*options, position_cells(position))))
    return float(run([program], input=line, capture_output=True, text=True, check=True).stdout)


def position_cells(position: Position) -> str:
    """Return R, Y or . for each cell, column by column, the lowest cell first."""
    bits = [column * BITS_PER_COLUMN + row for column in range(position.columns) for row in range(6)]
    return "".join(
        "R" if position.red >> bit & 1 else "Y" if position.yellow >> bit & 1 else "." for bit in bits
    )


def main() -> None:
    parser = ArgumentParser(prog="make bench-solver", description=__doc__)
    parser.add_argument(
        "--positions", type=int, default=1000, help="positions for the accuracy (default: 1000)"
    )
    parser.add_argument(
        "--brute-force", type=int, default=10_000, metavar="N", help="positions to compare with brute force"
    )
    parser.add_argument("--cells", type=int, default=14, help="their most free cells (default: 14)")
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
        *compare_with_brute_force(given.brute_force, given.cells, given.seed),
    ]
    given.output.write_text(BOOK + "\n".join(map(str, rows)) + "\n")
    print(f"\n{given.output.read_text()}\n{time() - started:.0f} s")


if __name__ == "__main__":
    main()
