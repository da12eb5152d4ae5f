"""A benchmark run on the terminal, and as `docs/generated/benchmarks.md`."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from crowdgame.server.laptop.paths import ROOT
from tests.load.bench.results import BenchResults, Comparison, LoadRun, middle
from tests.load.bench.rows import Row, build_rows

PAGE = ROOT / "docs" / "generated" / "benchmarks.md"
HEAD = """\
# {}

<!-- Written by `make {}`. Edits here are lost. -->

How these figures are measured, and what they mean: [performance](../performance.md).
"""
HEADINGS = ("Server", "Measurement", "Ratio", "Goal", "", "crowdgame", "Reference")
MARKS = {True: "met", False: "missed", None: ""}


def show(rows: list[Row], found: BenchResults, console: Console) -> None:
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    for line in _notes(found):
        console.print(line)


def write(found: BenchResults, machine: dict[str, str], page: Path = PAGE) -> None:
    """Write the run, in place of the previous one."""
    heading = f"## {machine['date']}, {machine['cores']} cores"
    notes = (f"- {line}" for line in _notes(found))
    table = table_lines(HEADINGS, map(_cells, build_rows(found)))
    write_page(page, "Benchmarks", "bench", (heading, "", *table, "", *notes, *about_lines(machine)))


def write_page(page: Path, title: str, command: str, lines: Iterable[str]) -> None:
    page.write_text("\n".join([HEAD.format(title, command), *lines, ""]), encoding="utf-8")


def table_lines(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A Markdown table."""
    for row in (headings, ("---",) * len(headings), *rows):
        yield f"| {' | '.join(row)} |"


def about_lines(machine: dict[str, str]) -> Iterator[str]:
    for name, value in machine.items():
        if name not in ("date", "cores"):
            yield f"- {name}: {value}"


def _cells(row: Row) -> tuple[str, ...]:
    ratio = f"{row.value:.2f}" if row.reference else ""
    mark = row.not_judged if row.goal and row.not_judged else MARKS[row.met]
    return (row.server, row.what, ratio, row.goal, mark, row.measured, row.reference)


def _notes(found: BenchResults) -> Iterator[str]:
    for comparison in found.comparisons:
        yield from _comparison_notes(comparison)
    for load_run in found.load_runs:
        yield _note_load_run(load_run)


def _comparison_notes(found: Comparison) -> Iterator[str]:
    for what, name in (("load generator's", "load_share"), ("servers'", "server_share")):
        shares = (
            f"{contender} {middle(rates, attrgetter(name)):.0%}" for contender, rates in found.rounds.items()
        )
        yield f"{found.server}: the {what} use of a core: {', '.join(shares)}"
    memory = ", ".join(f"{contender} {kib:.1f}" for contender, kib in found.memory.items())
    yield f"{found.server}: {found.phones:,} sockets per contender; KiB of memory per socket: {memory}"


def _note_load_run(load_run: LoadRun) -> str:
    used = ", ".join(f"{name} {spent:.1f}" for name, spent in load_run.cpu_s.items())
    ballots = load_run.ballots
    return (
        f"{load_run.server}, {load_run.profile}: {load_run.joined:,} of {load_run.phones:,} phones joined,"
        f" {ballots.acknowledged:,} of {ballots.sent:,} ballots acknowledged in {load_run.turns} turns,"
        f" {ballots.cut_off} interrupted with their phones; CPU seconds in {load_run.wall_s:.0f} s: {used};"
        f" the crowd was too busy for {load_run.busy_s:.0f} s"
    )
