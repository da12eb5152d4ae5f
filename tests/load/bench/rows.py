"""The whole table of a run."""

from tests.load.bench.comparison_rows import comparison_rows
from tests.load.bench.event_rows import shared_deadline_rows, small_event_row
from tests.load.bench.load_run_rows import load_run_rows
from tests.load.bench.results import BenchResults
from tests.load.bench.row import Row


def build_rows(found: BenchResults) -> list[Row]:
    compared = [row for one in found.comparisons for row in comparison_rows(one)]
    loaded = [row for load_run in found.load_runs for row in load_run_rows(load_run)]
    events = [row for one in found.shared_deadlines for row in shared_deadline_rows(one)]
    return compared + loaded + events + [small_event_row(one) for one in found.small_events]
