"""A ballot: one voter's current choice in one turn. Voters may change their vote: the last ballot counts."""

from collections.abc import Iterable
from operator import attrgetter

import msgspec

from games.engine.game import Side

HAND_VOTER_PREFIX = "hand:"  # prefix of the voter ids of a show of hands; no seat has it


class Ballot(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A voter's choice in a turn, encoded as in `choices`.

    `sequence` grows with each ballot of the voter. `arrival` numbers the turn's ballots in the order in which
    the box accepted them. `blind` is the voter's blinding factor, 32 hexadecimal digits.
    """

    voter: str
    side: Side
    choice: int
    sequence: int
    arrival: int = 0
    blind: str = ""


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
