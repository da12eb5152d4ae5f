"""A ballot: one voter's current choice in one turn. Voters may change their vote: the last ballot counts.

The choice is encoded as one integer: a column, a set or a ranking, and a wish. A single column is its own
number in every voting method. A ranking has its columns as digits in base 256, the first choice
lowest. A set has the bit SET and a digit per column, column 1 lowest, which is how often it contains the
column. If that is at most `most`, the base is `most` + 1. RESIGN is added to resign, or DRAW to offer or
accept a draw.
"""

from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter

import msgspec

from games.engine.game import Side
from voting.counting.types import MAX_COLUMN

HAND_VOTER_PREFIX = "hand:"  # prefix of the voter ids of a show of hands; no seat has it

RESIGN, SET = 1 << 30, 1 << 29
DRAW = 2 * RESIGN
RANKING_BASE = 256

#: The columns of a ballot: a ranking in its order, a set in ascending order.
Columns = tuple[int, ...]


class Ballot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A voter's choice in a turn.

    `sequence` grows with each ballot of the voter. `arrival` numbers the turn's ballots in the order in which
    the box accepted them. `blind` is the voter's blinding factor, 32 hexadecimal digits.
    """

    voter: str
    side: Side
    choice: int
    sequence: int
    arrival: int = 0
    blind: str = ""


def encode_ranking(columns: Iterable[int]) -> int:
    """Encode columns in order of preference, the first choice first."""
    return sum(column * RANKING_BASE**place for place, column in enumerate(columns))


def encode_set(columns: Collection[int], most: int = 1) -> int:
    """Encode a set of columns. A single column is encoded as its number, not as a set."""
    if len(columns) == 1:
        return sum(columns)
    digits: int = sum((most + 1) ** (column - 1) for column in columns)
    return SET + digits


def largest_set(most: int) -> int:
    """Return how many columns a set can tell apart if it contains each up to `most` times."""
    return max(columns for columns in range(MAX_COLUMN) if (most + 1) ** columns <= SET)


def decode_columns(choice: int, most: int = 1) -> Columns:
    """Return the columns of a choice. A column that a set contains several times is repeated."""
    said = choice % RESIGN
    if 0 < said <= MAX_COLUMN:
        return (said,)
    if not said & SET:
        return tuple(column for column in said.to_bytes(4, "little") if column)
    columns: list[int] = []
    digits, column = said - SET, 1
    while digits:
        digits, times = divmod(digits, most + 1)
        columns += [column] * times
        column += 1
    return tuple(columns)


def resigns(choice: int) -> bool:
    """Return whether the choice asks to resign."""
    return choice // RESIGN == 1


def asks_for_draw(choice: int) -> bool:
    """Return whether the choice offers or accepts a draw."""
    return choice >= DRAW


def merge_ballots(sealed: Iterable[Ballot], stored: Iterable[Ballot]) -> tuple[Ballot, ...]:
    """Return each voter's ballot with the highest sequence, in order of arrival.

    Ballots that the box never accepted keep the given order, which must not depend on the voter. Otherwise
    the opened lists of two turns would reveal which ballots are of the same voter.
    """
    latest: dict[str, Ballot] = {}
    for ballot in (*sealed, *stored):
        known = latest.get(ballot.voter)
        if known is None or ballot.sequence > known.sequence:
            latest[ballot.voter] = ballot
    return tuple(sorted(latest.values(), key=attrgetter("arrival")))


def pack_ballots(ballots: Iterable[Ballot]) -> bytes:
    """Serialize ballots to MessagePack, as stored in `TallyRecord.sealed`."""
    return msgspec.msgpack.encode(tuple(ballots))


def unpack_ballots(packed: bytes) -> tuple[Ballot, ...]:
    """Parse the output of `pack_ballots`. Raises msgspec.MsgspecError."""
    return msgspec.msgpack.decode(packed, type=tuple[Ballot, ...])


def unpack_batches(packed: bytes, size: int) -> Iterator[tuple[Ballot, ...]]:
    """Like `unpack_ballots`, but `size` ballots at a time, so that a large list needs little memory."""
    rows = msgspec.msgpack.decode(packed, type=list[msgspec.Raw])
    for start in range(0, len(rows), size):
        yield unpack_ballots(msgspec.msgpack.encode(rows[start : start + size]))
