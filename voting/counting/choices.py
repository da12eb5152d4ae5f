"""Encoding of a ballot's choice as one integer: a column, a set or a ranking, and the wish to resign.

A single column is its own number in every voting method. A ranking has its columns as digits in base 256, the
first choice lowest. A set has the bit SET and `bits` bits per column, which hold how often it contains the
column. RESIGN is added to resign.
"""

from collections.abc import Collection, Iterable

from voting.counting.types import MAX_COLUMN

RESIGN, SET = 1 << 30, 1 << 29
RANKING_BASE = 256
SET_BITS = 29

#: The columns of a ballot: a ranking in its order, a set in ascending order.
Columns = tuple[int, ...]


def encode_ranking(columns: Iterable[int]) -> int:
    """Encode columns in order of preference, the first choice first."""
    return sum(column * RANKING_BASE**place for place, column in enumerate(columns))


def encode_set(columns: Collection[int], bits: int = 1) -> int:
    """Encode a set of columns. A single column is encoded as its number, not as a set."""
    if len(columns) == 1:
        return sum(columns)
    return SET + sum(1 << (column - 1) * bits for column in columns)


def decode_columns(choice: int, bits: int = 1) -> Columns:
    """Return the columns of a choice. A column that a set contains several times is repeated."""
    said = choice % RESIGN
    if 0 < said <= MAX_COLUMN:
        return (said,)
    if said & SET:
        most = (1 << bits) - 1
        return tuple(
            column
            for column in range(1, SET_BITS // bits + 1)
            for _ in range(said >> (column - 1) * bits & most)
        )
    return tuple(column for column in said.to_bytes(4, "little") if column)


def resigns(choice: int) -> bool:
    """Return whether the choice asks to resign."""
    return choice >= RESIGN
