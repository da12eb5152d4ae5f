"""Encoding of a ballot's choice as one integer: a column, a set or a ranking, and the wish to resign.

A single column is its own number in every voting method. A ranking has its columns as digits in base 256, the
first choice lowest. A set has one bit per column and the bit SET. RESIGN is added to resign.
"""

from collections.abc import Collection, Iterable

from voting.counting.types import TallyMethod

RESIGN, SET = 1 << 30, 1 << 29
RANKING_BASE = 256
MAX_SET_COLUMNS = 29
MAX_RANKED = 3


def encode_ranking(columns: Iterable[int]) -> int:
    """Encode columns in order of preference, the first choice first."""
    return sum(column * RANKING_BASE**place for place, column in enumerate(columns))


def encode_set(columns: Collection[int]) -> int:
    """Encode a set of columns. A single column is encoded as its number, not as a set."""
    several = len(columns) > 1
    return SET + sum(1 << (column - 1) for column in columns) if several else sum(columns)


def decode_columns(choice: int) -> tuple[int, ...]:
    """Return the columns of a choice: a ranking in its order, a set in ascending order, or the only one."""
    said = choice % RESIGN
    if said & SET:
        return tuple(bit + 1 for bit in range(MAX_SET_COLUMNS) if said >> bit & 1)
    return tuple(column for column in said.to_bytes(4, "little") if column)


def resigns(choice: int) -> bool:
    """Return whether the choice asks to resign."""
    return choice >= RESIGN


def is_valid_choice(choice: int, method: TallyMethod, legal: Collection[int], *, may_resign: bool) -> bool:
    """Return whether the choice can be counted and is encoded canonically.

    `legal` are the columns that the side may choose.
    """
    if not 0 < choice < 2 * RESIGN or (resigns(choice) and not may_resign):
        return False
    columns, said = decode_columns(choice), choice % RESIGN
    if not columns or not set(columns) <= set(legal):
        return False
    if len(columns) == 1:
        return said == columns[0]
    if method == "approval":
        return said == encode_set(columns)
    if method == "instant_runoff":
        return said == encode_ranking(columns) and len(set(columns)) == len(columns) <= MAX_RANKED
    return False
