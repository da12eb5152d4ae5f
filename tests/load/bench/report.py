"""A benchmark run on the terminal, and as `docs/generated/benchmarks.md`."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from crowdgame.server.laptop.paths import ROOT
from tests.load.bench.rows import Results, Row

PAGE = ROOT / "docs" / "generated" / "benchmarks.md"
HEAD = """\
# {}

<!-- Written by `make {}`. Edits here are lost. -->

How these figures are measured, and what they mean: [performance](../performance.md).
"""
HEADINGS = ("Server", "Measurement", "Ratio", "Goal", "", "crowdgame", "Reference")
MARKS = {True: "met", False: "missed", None: ""}


def show(results: Results, console: Console) -> None:
    table = Table(*HEADINGS)
    for row in results.rows:
        table.add_row(*_cells(row))
    console.print(table, *results.notes, sep="\n")


def write(results: Results, machine: dict[str, str]) -> None:
    """Write the run, in place of the previous one."""
    heading = f"## {machine['date']}, {machine['cores']} cores"
    notes = (f"- {line}" for line in results.notes)
    table = table_lines(HEADINGS, map(_cells, results.rows))
    write_page(PAGE, "Benchmarks", "bench", (heading, "", *table, "", *notes, *about_lines(machine)))


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
