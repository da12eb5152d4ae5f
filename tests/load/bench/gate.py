"""The quick benchmark before a merge: only ratios, at small size, compared with recorded ones."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tests.load.bench.baseline import Fallen, Recorded, better_of, fallen, record, recorded
from tests.load.bench.comparison import Say, Size
from tests.load.bench.machine import about
from tests.load.bench.report import show
from tests.load.bench.results import BenchResults
from tests.load.bench.row import Row
from tests.load.bench.rows import rows_of
from tests.load.bench.run import SERVERS, compare

QUICK = Size(phones=2_000, audience=2_000, seconds=0.7, rounds=3, fanouts=5, pair=False)


def pass_gate(servers: Sequence[str], home: Path, console: Console, say: Say) -> bool:
    """Whether no ratio has fallen. A server with a fallen ratio is measured once more."""
    passed = True
    for server in servers:
        before = recorded().only(server)
        found = BenchResults([compare(server, QUICK, home / server, say)])
        rows = rows_of(found)
        show(rows, found, console)
        if fallen(rows, before):
            say(f"{server}: measuring again, since a ratio has fallen")
            rows = better_of(rows, _measure(server, home / f"{server}-again", say))
        passed &= _judge(rows, before, console)
    return passed


def take_record(home: Path, say: Say) -> None:
    """Record the ratios that `pass_gate` compares with."""
    record([row for server in SERVERS for row in _measure(server, home / server, say)], about())


def _measure(server: str, home: Path, say: Say) -> list[Row]:
    return rows_of(BenchResults([compare(server, QUICK, home, say)]))


def _judge(rows: list[Row], before: Recorded, console: Console) -> bool:
    found = fallen(rows, before)
    for one in found:
        console.print(f"[bold red]✗[/] {_format_fallen(one)}")
    return not found


def _format_fallen(one: Fallen) -> str:
    now = "not measured" if one.value is None else f"{one.value:.2f}"
    return f"{one.key}: {now}, recorded {one.recorded:.2f}, allowed {one.limit:.2f}"
