"""The quick benchmark before a merge: only ratios, at small size, compared with a baseline."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tests.load.bench.baseline import (
    Baseline,
    Regression,
    find_regressions,
    load_baseline,
    pick_better,
    record,
)
from tests.load.bench.comparison import Say, Size
from tests.load.bench.machine import describe_machine
from tests.load.bench.report import show
from tests.load.bench.results import BenchResults
from tests.load.bench.row import Row
from tests.load.bench.rows import build_rows
from tests.load.bench.run import SERVERS, compare

QUICK = Size(phones=2_000, audience=2_000, seconds=0.7, rounds=3, fanouts=5, pair=False)


def check_regressions(servers: Sequence[str], home: Path, console: Console, say: Say) -> bool:
    """Return whether no ratio has regressed. A server with a regression is measured once more."""
    passed = True
    for server in servers:
        before = load_baseline().only(server)
        found = BenchResults([compare(server, QUICK, home / server, say)])
        rows = build_rows(found)
        show(rows, found, console)
        if find_regressions(rows, before):
            say(f"{server}: a ratio has regressed, measuring again")
            rows = pick_better(rows, _measure(server, home / f"{server}-again", say))
        passed &= _judge(rows, before, console)
    return passed


def record_baseline(home: Path, say: Say) -> None:
    """Record the baseline that `check_regressions` compares with."""
    record([row for server in SERVERS for row in _measure(server, home / server, say)], describe_machine())


def _measure(server: str, home: Path, say: Say) -> list[Row]:
    return build_rows(BenchResults([compare(server, QUICK, home, say)]))


def _judge(rows: list[Row], before: Baseline, console: Console) -> bool:
    found = find_regressions(rows, before)
    for one in found:
        console.print(f"[bold red]✗[/] {_format_regression(one)}")
    return not found


def _format_regression(one: Regression) -> str:
    now = "not measured" if one.value is None else f"{one.value:.2f}"
    return f"{one.key}: {now}, baseline {one.baseline:.2f}, allowed {one.limit:.2f}"
