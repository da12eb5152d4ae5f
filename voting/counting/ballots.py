"""A ballot: one voter's current choice in one turn; the last one counts."""

from collections.abc import Iterable
from operator import attrgetter

import msgspec

from games.engine.game import Side

HAND_VOTER_PREFIX = "hand:"  # so begins the voter of a hand that was counted, and no seat's


class Ballot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`arrival` numbers the ballots of a turn in the order in which the box took them.

    `blind` is the voter's own random number, 32 hexadecimal digits.
    """

    voter: str
    side: Side
    choice: int
    sequence: int
    arrival: int = 0
    blind: str = ""


def merge_ballots(sealed: Iterable[Ballot], stored: Iterable[Ballot]) -> tuple[Ballot, ...]:
    """One ballot a voter, the one with the highest sequence, in order of arrival.

    Those that the box never saw keep the order they come in, which must say nothing of the voters: an order
    by voter would tell anyone who reads the opened lists of two turns which ballots are of the same one.
    """
    latest: dict[str, Ballot] = {}
    for ballot in (*sealed, *stored):
        known = latest.get(ballot.voter)
        if known is None or ballot.sequence > known.sequence:
            latest[ballot.voter] = ballot
    return tuple(sorted(latest.values(), key=attrgetter("arrival")))


def pack_ballots(ballots: Iterable[Ballot]) -> bytes:
    return msgspec.msgpack.encode(tuple(ballots))


def unpack_ballots(packed: bytes) -> tuple[Ballot, ...]:
    return msgspec.msgpack.decode(packed, type=tuple[Ballot, ...])
