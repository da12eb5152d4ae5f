"""What a ballot says, as one number: a column, a set of columns or a ranking, and perhaps the wish to resign.

A column alone is its own number in every way of counting. A ranking has its columns as digits to the base
256, the first choice lowest. A set has a bit a column, and one that marks it as a set.
"""

from collections.abc import Collection, Iterable

from voting.counting.types import TallyMethod

RESIGN, SET = 1 << 30, 1 << 29
RANKING_BASE = 256
MAX_SET_COLUMNS = 29
MAX_RANKED = 3


def encode_ranking(columns: Iterable[int]) -> int:
    return sum(column * RANKING_BASE**place for place, column in enumerate(columns))


def encode_set(columns: Collection[int]) -> int:
    """One column is no set."""
    several = len(columns) > 1
    return SET + sum(1 << (column - 1) for column in columns) if several else sum(columns)


def decode_columns(choice: int) -> tuple[int, ...]:
    """A ranking's in their order, a set's from left to right; of a column alone that one."""
    said = choice % RESIGN
    if said & SET:
        return tuple(bit + 1 for bit in range(MAX_SET_COLUMNS) if said >> bit & 1)
    return tuple(column for column in said.to_bytes(4, "little") if column)


def resigns(choice: int) -> bool:
    return choice >= RESIGN


def is_valid_choice(choice: int, method: TallyMethod, legal: Collection[int], *, may_resign: bool) -> bool:
    """Whether it says something that can be counted, in the one way in which it is to be said."""
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
