"""The results of a benchmark run with their goals; on the terminal, and as `docs/generated/benchmarks.md`."""

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from crowdgame.server.laptop.paths import ROOT

FULL_AUDIENCE = 10_000
COMPARATORS = {"≥": operator.ge, "≤": operator.le}
COUNT, MS, US, KIB = "{:,.0f}", "{:,.0f} ms", "{:,.0f} µs", "{:.1f} KiB"
PAGE = ROOT / "docs" / "generated" / "benchmarks.md"
HEAD = """\
# {}

<!-- Written by `make {}`. Edits here are lost. -->

How these figures are measured, and what they mean: [performance](../performance.md).
"""
HEADINGS = ("Server", "Measurement", "Ratio", "Goal", "", "crowdgame", "Reference")
MARKS = {True: "met", False: "missed", None: ""}


@dataclass(frozen=True, kw_only=True)
class Row:
    """`value` is a ratio if there is a `reference`. `goal` is like "≥ 3", empty if there is none.

    `not_judged`: why the goal was not judged; `key`: the name of a row that is compared with the baseline.
    """

    server: str
    what: str
    measured: str
    reference: str = ""
    value: float
    goal: str = ""
    not_judged: str = ""
    key: str = ""

    @property
    def met(self) -> bool | None:
        if not self.goal or self.not_judged:
            return None
        sign, limit = self.goal.split()[:2]
        return bool(COMPARATORS[sign](self.value, float(limit)))


@dataclass
class Results:
    """What a run has measured so far: rows of the table, and notes below it."""

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, server: str, what: str, value: float | None, unit: str = COUNT, **more: str) -> None:
        """None misses the goal."""
        measured = "never" if value is None else unit.format(value)
        value = float("inf") if value is None else value
        self.rows.append(Row(server=server, what=what, measured=measured, value=value, **more))

    def add_ratio(self, server: str, what: str, of: Sequence[float], unit: str = COUNT, **more: Any) -> None:
        """`value` is the ratio of the two figures by default."""
        measured, reference = map(unit.format, of)
        value = {"value": of[0] / of[1], **more}
        self.rows.append(Row(server=server, what=what, measured=measured, reference=reference, **value))


def too_few(phones: int, meant_for: int) -> str:
    """Why a goal is not judged, if so many phones are too few for it."""
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""


def show(results: Results, console: Console) -> None:
    table = Table(*HEADINGS)
    for row in results.rows:
        table.add_row(*_cells(row))
    console.print(table, *results.notes, sep="\n")


def write(results: Results, machine: dict[str, str]) -> None:
    heading = f"## {machine['date']}, {machine['cores']} cores"
    notes = (f"- {line}" for line in results.notes)
    table = table_lines(HEADINGS, map(_cells, results.rows))
    write_page(PAGE, "Benchmarks", "bench", (heading, "", *table, "", *notes, *about_lines(machine)))


def write_page(page: Path, title: str, command: str, lines: Iterable[str]) -> None:
    page.write_text("\n".join([HEAD.format(title, command), *lines, ""]), encoding="utf-8")


def table_lines(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
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
