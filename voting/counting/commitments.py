"""Commitments to sealed ballots: for each side, the root of a Merkle tree over its blinded ballots."""

from collections.abc import Iterable, Sequence

import msgspec

from games.engine.game import Side
from voting.counting.ballots import Ballot
from voting.counting.merkle import Tree
from voting.counting.types import Count, Hash


class Commitment(msgspec.Struct, frozen=True, kw_only=True):
    """Commits to a side's sealed ballots without disclosing them.

    Attributes:
        root: Merkle root of the blinded ballots.
        ballots: Number of ballots.
    """

    root: Hash
    ballots: Count


def ballot_leaf(turn_id: int, side: Side, choice: int, blind: str) -> bytes:
    """Return the content of a ballot's leaf in the Merkle tree."""
    return f"{turn_id}:{side}:{choice}:{blind}".encode("ascii")


def ballot_tree(turn_id: int, side: Side, ballots: Iterable[tuple[int, str]]) -> Tree:
    """Return the Merkle tree over pairs of choice and blinding factor, in order of arrival."""
    return Tree(ballot_leaf(turn_id, side, choice, blind) for choice, blind in ballots)


def commit_ballots(turn_id: int, side: Side, ballots: Sequence[Ballot]) -> Commitment:
    """Return the commitment to a side's ballots, which are in order of arrival."""
    tree = ballot_tree(turn_id, side, ((ballot.choice, ballot.blind) for ballot in ballots))
    return Commitment(root=tree.root.hex(), ballots=len(tree))
