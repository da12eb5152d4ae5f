"""The rows of the table of benchmarks, each with its goal."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

FULL_AUDIENCE = 10_000
COMPARATORS = {"≥": operator.ge, "≤": operator.le}
COUNT, MS, US, KIB = "{:,.0f}", "{:,.0f} ms", "{:,.0f} µs", "{:.1f} KiB"


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

    def add_ratio(
        self, server: str, what: str, figures: Sequence[float], unit: str = COUNT, **more: Any
    ) -> None:
        """`value` is the ratio of the two figures by default."""
        ours, reference = figures
        measured, other = unit.format(ours), unit.format(reference)
        value = {"value": ours / reference, **more}
        self.rows.append(Row(server=server, what=what, measured=measured, reference=other, **value))


def too_few(phones: int, meant_for: int) -> str:
    """Why a goal is not judged, if so many phones are too few for it."""
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""
