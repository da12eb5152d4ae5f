"""Recorded ratios of an earlier run; a later run must not fall by more than a third."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from tests.load.bench.row import Row

FILE = Path(__file__).parent / "baseline.json"
WORSE_BY = 1.5


class Recorded(msgspec.Struct, frozen=True):
    """`ratios` by row key; `run` is the environment and date."""

    run: dict[str, str]
    ratios: dict[str, float]

    def only(self, server: str) -> "Recorded":
        kept = {key: ratio for key, ratio in self.ratios.items() if key.startswith(f"{server}: ")}
        return Recorded(self.run, kept)


class Fallen(msgspec.Struct, frozen=True):
    """`limit` is the worst passing value; a row that was not measured has no value."""

    key: str
    recorded: float
    value: float | None
    limit: float


def record(rows: Iterable[Row], run: dict[str, str], file: Path = FILE) -> None:
    ratios = {row.key: round(row.value, 4) for row in rows if row.key}
    file.write_bytes(msgspec.json.format(msgspec.json.encode(Recorded(run, ratios))) + b"\n")


def recorded(file: Path = FILE) -> Recorded:
    return msgspec.json.decode(file.read_bytes(), type=Recorded)


def fallen(rows: Iterable[Row], before: Recorded) -> list[Fallen]:
    """The rows that are worse than recorded by more than half, or missing."""
    now = {row.key: row for row in rows if row.key}
    judged = (_judge(key, value, now.get(key)) for key, value in before.ratios.items())
    return [one for one in judged if one is not None]


def better_of(first: Iterable[Row], second: Iterable[Row]) -> list[Row]:
    """Keep the better one of rows measured twice."""
    again = {row.key: row for row in second if row.key}
    return [_better(row, again[row.key]) if row.key in again else row for row in first]


def _judge(key: str, before: float, row: Row | None) -> Fallen | None:
    if row is None:
        return Fallen(key, before, None, before)
    limit = before / WORSE_BY if _grows(row) else before * WORSE_BY
    worse = row.value < limit if _grows(row) else row.value > limit
    return Fallen(key, before, row.value, limit) if worse else None


def _better(one: Row, other: Row) -> Row:
    pick = max if _grows(one) else min
    return pick(one, other, key=lambda row: row.value)


def _grows(row: Row) -> bool:
    return row.goal.startswith("≥")
