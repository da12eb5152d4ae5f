"""The whole table of a run."""

from tests.load.bench.comparison_rows import rows_of_server
from tests.load.bench.load_run_rows import load_run_rows
from tests.load.bench.results import BenchResults
from tests.load.bench.row import Row


def rows_of(found: BenchResults) -> list[Row]:
    beside = [row for one in found.beside for row in rows_of_server(one)]
    return beside + [row for load_run in found.load_runs for row in load_run_rows(load_run)]
