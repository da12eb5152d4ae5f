"""The baseline: ratios of an earlier run, which a later run may miss by at most a third."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from tests.load.bench.row import Row

FILE = Path(__file__).parent / "baseline.json"
MAX_REGRESSION = 1.5


class Baseline(msgspec.Struct, frozen=True):
    """`ratios` by row key; `run` is the environment and date."""

    run: dict[str, str]
    ratios: dict[str, float]

    def only(self, server: str) -> "Baseline":
        kept = {key: ratio for key, ratio in self.ratios.items() if key.startswith(f"{server}: ")}
        return Baseline(self.run, kept)


class Regression(msgspec.Struct, frozen=True):
    """`limit` is the worst passing value; a row that was not measured has no value."""

    key: str
    baseline: float
    value: float | None
    limit: float


def record(rows: Iterable[Row], run: dict[str, str], file: Path = FILE) -> None:
    ratios = {row.key: round(row.value, 4) for row in rows if row.key}
    file.write_bytes(msgspec.json.format(msgspec.json.encode(Baseline(run, ratios))) + b"\n")


def load_baseline(file: Path = FILE) -> Baseline:
    return msgspec.json.decode(file.read_bytes(), type=Baseline)


def find_regressions(rows: Iterable[Row], before: Baseline) -> list[Regression]:
    """The rows that are worse than the baseline by more than half, or missing."""
    now = {row.key: row for row in rows if row.key}
    judged = (_judge(key, value, now.get(key)) for key, value in before.ratios.items())
    return [one for one in judged if one is not None]


def pick_better(first: Iterable[Row], second: Iterable[Row]) -> list[Row]:
    """Keep the better one of rows measured twice."""
    again = {row.key: row for row in second if row.key}
    return [_better(row, again[row.key]) if row.key in again else row for row in first]


def _judge(key: str, before: float, row: Row | None) -> Regression | None:
    if row is None:
        return Regression(key, before, None, before)
    limit = before / MAX_REGRESSION if _grows(row) else before * MAX_REGRESSION
    worse = row.value < limit if _grows(row) else row.value > limit
    return Regression(key, before, row.value, limit) if worse else None


def _better(one: Row, other: Row) -> Row:
    pick = max if _grows(one) else min
    return pick(one, other, key=lambda row: row.value)


def _grows(row: Row) -> bool:
    return row.goal.startswith("≥")
