"""An independent recount of a turn, written from the documented rules without product code.

A ballot is [voter, side, column, sequence, arrival, blind]. See "Hashes" in docs/verification.md.
"""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

Ballot = Sequence[Any]
#: Tally method, tie rule, and the rule for turns without ballots.
Terms = tuple[str, str, str]


def recount_pick(
    turn: int, ballots: Sequence[Ballot], legal: Sequence[int], terms: Terms, lot: str
) -> int | None:
    """`lot` is the turn's seed and the side."""
    method, tie, without = terms
    if not ballots:
        return int(legal[_drawn(lot, len(legal))]) if without == "random" else None
    if method == "lottery":
        return int(sorted(ballots, key=lambda ballot: _leaf(turn, ballot))[_drawn(lot, len(ballots))][2])
    in_order = sorted(ballots, key=lambda ballot: (ballot[4], ballot[0]))
    votes = Counter(int(ballot[2]) for ballot in ballots)
    leaders = sorted(column for column, number in votes.items() if number == max(votes.values()))
    if len(leaders) == 1 or tie == "first":
        return min(leaders, key=lambda column: (_complete(in_order, column), column))
    return leaders[_drawn(lot, len(leaders))]


def _complete(in_order: Sequence[Ballot], column: int) -> int:
    """The position, in order of arrival, of the last vote for a column."""
    return max(place for place, ballot in enumerate(in_order) if ballot[2] == column)


def _drawn(lot: str, among: int) -> int:
    return int.from_bytes(sha256(lot.encode()).digest(), "big") % among


def merkle_root(turn: int, ballots: Sequence[Ballot]) -> str:
    """The Merkle root over the blinded ballots, sorted by leaf hash."""
    leaves = sorted(_leaf(turn, ballot) for ballot in ballots)
    return (_root(leaves) if leaves else sha256(b"").digest()).hex()


def _leaf(turn: int, ballot: Ballot) -> bytes:
    return sha256(b"\0" + f"{turn}:{ballot[1]}:{ballot[2]}:{ballot[5]}".encode()).digest()


def _root(leaves: Sequence[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + _root(leaves[:half]) + _root(leaves[half:])).digest()
