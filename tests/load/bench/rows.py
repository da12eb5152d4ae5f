"""The whole table of a run."""

from tests.load.bench.comparison_rows import comparison_rows
from tests.load.bench.load_run_rows import load_run_rows
from tests.load.bench.results import BenchResults
from tests.load.bench.row import Row


def build_rows(found: BenchResults) -> list[Row]:
    compared = [row for one in found.comparisons for row in comparison_rows(one)]
    return compared + [row for load_run in found.load_runs for row in load_run_rows(load_run)]
