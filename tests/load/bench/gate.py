"""The quick benchmark before a merge: only ratios, at small size, compared with a baseline.

The baseline has the ratios of an earlier run, which a later run may miss by at most a third.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from rich.console import Console

from tests.load.bench.comparison import Say, Size
from tests.load.bench.machine import describe_machine
from tests.load.bench.report import Results, Row, show
from tests.load.bench.run import SERVERS, compare

FILE = Path(__file__).parent / "baseline.json"
MAX_REGRESSION = 1.5
QUICK = Size(phones=2_000, audience=2_000, seconds=0.7, rounds=3, fanouts=5, pair=False)


class Baseline(msgspec.Struct, frozen=True):
    """`ratios` by row key; `run` is the environment and date."""

    run: dict[str, str]
    ratios: dict[str, float]


class Regression(NamedTuple):
    """`limit` is the worst passing value; a row that was not measured has no value."""

    key: str
    baseline: float
    value: float | None
    limit: float


def check_regressions(servers: Sequence[str], home: Path, console: Console, say: Say) -> bool:
    """Return whether no ratio has regressed. A server with a regression is measured once more."""
    passed = True
    for server in servers:
        before = load_baseline(f"{server}: ")
        results = _measure(server, home / server, say)
        show(results, console)
        rows = results.rows
        if find_regressions(rows, before):
            say(f"{server}: a ratio has regressed, measuring again")
            rows = pick_better(rows, _measure(server, home / f"{server}-again", say).rows)
        regressions = find_regressions(rows, before)
        for regression in regressions:
            console.print("[bold red]✗[/]", *regression._asdict().items())
        passed &= not regressions
    return passed


def record_baseline(home: Path, say: Say) -> None:
    """Record the baseline that `check_regressions` compares with."""
    rows = [row for server in SERVERS for row in _measure(server, home / server, say).rows]
    ratios = {row.key: round(row.value, 4) for row in rows if row.key}
    baseline = msgspec.json.encode(Baseline(describe_machine(), ratios))
    FILE.write_bytes(msgspec.json.format(baseline) + b"\n")


def _measure(server: str, home: Path, say: Say) -> Results:
    results = Results()
    compare(server, QUICK, home, say, results)
    return results


def load_baseline(prefix: str = "") -> dict[str, float]:
    """The ratios by row key, for keys with this prefix."""
    ratios = msgspec.json.decode(FILE.read_bytes(), type=Baseline).ratios
    return {key: ratio for key, ratio in ratios.items() if key.startswith(prefix)}


def find_regressions(rows: Iterable[Row], before: Mapping[str, float]) -> list[Regression]:
    """The rows that are worse than the baseline by more than half, or missing."""
    now = {row.key: row for row in rows if row.key}
    judged = (_judge(key, value, now.get(key)) for key, value in before.items())
    return [regression for regression in judged if regression is not None]


def pick_better(first: Iterable[Row], second: Iterable[Row]) -> list[Row]:
    """Keep the better one of rows measured twice."""
    again = {row.key: row for row in second if row.key}
    return [_better(row, again[row.key]) if row.key in again else row for row in first]


def _judge(key: str, before: float, row: Row | None) -> Regression | None:
    if row is None:
        return Regression(key, before, None, before)
    grows = row.goal.startswith("≥")
    limit = before / MAX_REGRESSION if grows else before * MAX_REGRESSION
    is_worse = row.value < limit if grows else row.value > limit
    return Regression(key, before, row.value, limit) if is_worse else None


def _better(first: Row, second: Row) -> Row:
    pick = max if first.goal.startswith("≥") else min
    return pick(first, second, key=lambda row: row.value)
