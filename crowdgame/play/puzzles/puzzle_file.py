"""The puzzles: a file in this package, written by `manage.py generate_puzzles`."""

import gzip
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path

import msgspec

from games.engine.game import Side
from games.solver.puzzle import Kind, Weights

FILE = Path(__file__).with_name("puzzles.gz")
GAME, COLUMNS = "simultaneous-captains-mistress", 7
OPTIONS: dict[str, int | str] = {"columns": COLUMNS, "rows": 6, "token": "red", "tie": "holder"}


class StoredPuzzle(msgspec.Struct, frozen=True, array_like=True):
    """A puzzle (see `games.solver.puzzles`) after some turns, each with the columns of red and yellow."""

    kind: Kind
    side: Side
    answer: int
    depth: int
    tempting: int
    turns: str
    mixes: tuple[Weights, ...]

    @property
    def key(self) -> str:
        """What stays the same in a new file."""
        return f"{self.side}:{self.turns}"

    @property
    def choices(self) -> range:
        """The answers to choose from. A full column is among them, and wrong."""
        return range(1, 1 + (len(self.mixes) or COLUMNS))

    @property
    def picks(self) -> tuple[tuple[int, int], ...]:
        """Red's and yellow's column in each turn."""
        digits = [int(digit) for digit in self.turns]
        return tuple(zip(digits[::2], digits[1::2], strict=True))


def pack_puzzles(puzzles: Sequence[StoredPuzzle]) -> bytes:
    return gzip.compress(msgspec.json.encode(puzzles), mtime=0)


@cache
def read_puzzles() -> tuple[StoredPuzzle, ...]:
    return unpack_puzzles(FILE.read_bytes())


def unpack_puzzles(packed: bytes) -> tuple[StoredPuzzle, ...]:
    return msgspec.json.decode(gzip.decompress(packed), type=tuple[StoredPuzzle, ...])


def daily_number(day: date) -> int:
    """Return the number, from 1, of the puzzle that everybody gets on a day."""
    return 1 + day.toordinal() % len(read_puzzles())
