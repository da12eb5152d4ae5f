"""Cryptographic commitments: the Merkle roots of sealed ballots, and the seeds of random draws.

The Merkle tree is that of RFC 6962: one hash commits to a list, and a short path proves that an entry is in
it. Hashes are the bytes of SHA-256. Leaves and nodes are hashed with different prefixes, so that neither can
pass as the other.

Lots are verifiable, too (commit and reveal): the seed is committed to before the window and published after
it, so that nobody can choose a lot afterwards. A turn's draws also depend on the roots, so that nobody can
choose a seed for them before.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from operator import lt
from types import MappingProxyType

import msgspec

from games.engine.game import SIDES, Side
from voting.counting.ballots import Ballot
from voting.counting.types import Count, Hash

LEAF, NODE = b"\x00", b"\x01"
#: How the draws of a turn follow from its seed. The commitment to the seed tells which.
FROM_SEED, FROM_ROOTS = 1, 2
EMPTY = sha256().digest()
NO_LEAVES: Mapping[int, bytes] = MappingProxyType({})


def hash_leaf(content: bytes) -> bytes:
    return sha256(LEAF + content).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return sha256(NODE + left + right).digest()


class Tree:
    """A Merkle tree over leaf hashes (see `hash_leaf`), in their order.

    It keeps every level, so that a path needs no hashing.
    """

    __slots__ = ("levels",)

    def __init__(self, leaves: Iterable[bytes]) -> None:
        level = list(leaves)
        self.levels = [level]
        while len(level) > 1:
            level = _parent_level(level)
            self.levels.append(level)

    def __len__(self) -> int:
        return len(self.levels[0])

    @property
    def root(self) -> bytes:
        """The Merkle root; the hash of the empty string if there are no leaves."""
        return self.levels[-1][0] if self.levels[0] else EMPTY

    def path(self, index: int) -> tuple[bytes, ...]:
        """Return the sibling hashes from a leaf to the root, lowest first."""
        beside = []
        for level in self.levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                beside.append(level[sibling])
            index >>= 1
        return tuple(beside)


def _parent_level(level: Sequence[bytes]) -> list[bytes]:
    """Hash pairs into nodes. A last entry without a partner moves up unchanged."""
    nodes = iter(level)
    above = [sha256(NODE + left + right).digest() for left, right in zip(nodes, nodes, strict=False)]
    if len(level) % 2:
        above.append(level[-1])
    return above


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root of the tree over leaf hashes, without keeping its levels."""
    level = leaves
    while len(level) > 1:
        level = _parent_level(level)
    return level[0] if level else EMPTY


class Commitment(msgspec.Struct, frozen=True, kw_only=True):
    """Commits to a side's sealed ballots without disclosing them.

    Attributes:
        root: Merkle root of the blinded ballots, sorted by leaf hash.
        ballots: Number of ballots.
        order: If the tie rule is `first`, the commitment to the order of arrival; otherwise null.
    """

    root: Hash
    ballots: Count
    order: Hash | None = None


@dataclass(frozen=True, slots=True)
class SortedBallots:
    """A side's ballots in the order of their leaf hashes, and the commitment to them.

    Nobody can choose this order: the voters' blinding factors decide it. `arrivals` are the indexes of
    `ballots` in order of arrival, if that is committed to. It is also the order of `Ballot.arrival`.
    """

    ballots: Sequence[Ballot]
    arrivals: Sequence[int] | None
    commitment: Commitment


def ballot_leaf(turn_id: int, side: Side, choice: int, blind: str) -> bytes:
    """Return the content of a ballot's leaf in the Merkle tree."""
    return f"{turn_id}:{side}:{choice}:{blind}".encode("ascii")


def ballot_tree(turn_id: int, side: Side, ballots: Iterable[tuple[int, str]]) -> Tree:
    """Return the Merkle tree over pairs of choice and blinding factor, in the given order."""
    return Tree(hash_leaves(turn_id, side, ballots))


def hash_leaves(turn_id: int, side: Side, ballots: Iterable[tuple[int, str]]) -> list[bytes]:
    """Return the leaf hash of each pair of choice and blinding factor, see `ballot_leaf`."""
    start = _leaf_start(turn_id, side)
    return [sha256(f"{start}{choice}:{blind}".encode("ascii")).digest() for choice, blind in ballots]


def _leaf_start(turn_id: int, side: Side) -> str:
    """Return what all leaves of a side begin with: calling `hash_leaf` for each takes a quarter longer."""
    return f"{LEAF.decode()}{turn_id}:{side}:"


def hash_ballots(turn_id: int, ballots: Iterable[Ballot]) -> dict[int, bytes]:
    """Return the leaf hash of each ballot by its `id()`, while the ballots are kept.

    A node that takes over may give the arrival number of a ballot to another one.
    """
    starts = {side: _leaf_start(turn_id, side) for side in SIDES}
    return {
        id(ballot): sha256(f"{starts[ballot.side]}{ballot.choice}:{ballot.blind}".encode("ascii")).digest()
        for ballot in ballots
    }


def sort_ballots(
    turn_id: int,
    side: Side,
    arrived: Sequence[Ballot],
    leaves: Mapping[int, bytes] = NO_LEAVES,
    *,
    commit_order: bool = False,
) -> SortedBallots:
    """Sort a side's ballots, which are in order of arrival, by leaf hash, and commit to them.

    `leaves` are leaf hashes that are known already (`hash_ballots`). `commit_order` commits to the
    order of arrival, too. The ballots are numbered anew if their `arrival` does not grow.
    """
    start = _leaf_start(turn_id, side)
    hashes = [
        leaves.get(id(ballot)) or sha256(f"{start}{ballot.choice}:{ballot.blind}".encode("ascii")).digest()
        for ballot in arrived
    ]
    order = [ballot.arrival for ballot in arrived]
    if not all(map(lt, order, islice(order, 1, None))):
        arrived = [msgspec.structs.replace(ballot, arrival=n) for n, ballot in enumerate(arrived, 1)]
    by_leaf = sorted(range(len(hashes)), key=hashes.__getitem__)
    listed = list(map(arrived.__getitem__, by_leaf))
    root = merkle_root(list(map(hashes.__getitem__, by_leaf))).hex()
    if not commit_order:
        return SortedBallots(listed, None, Commitment(root=root, ballots=len(hashes)))
    arrivals = [0] * len(hashes)
    for index, arrival in enumerate(by_leaf):
        arrivals[arrival] = index
    return SortedBallots(
        listed, arrivals, Commitment(root=root, ballots=len(hashes), order=order_hash(hashes))
    )


def order_hash(leaves: Iterable[bytes]) -> str:
    """Return the commitment to the order of arrival of these leaf hashes."""
    return sha256(b"".join(leaves)).hexdigest()


def arrival_order(ballots: Sequence[Ballot]) -> list[int]:
    """Return the indexes of the ballots in order of arrival."""
    return sorted(range(len(ballots)), key=lambda index: ballots[index].arrival)


def commit_lot(seed: str, version: int = FROM_SEED) -> str:
    """Return the commitment to the seed, which is published before anyone votes."""
    label = "crowdgame lot" if version == FROM_SEED else f"crowdgame lot {version}"
    return sha256(f"{label}:{seed}".encode("ascii")).hexdigest()


def draws_version(seed: str, lot: str) -> int | None:
    """Return how draws follow from the seed, as its commitment `lot` tells; None if it commits to another."""
    return next((known for known in (FROM_ROOTS, FROM_SEED) if commit_lot(seed, known) == lot), None)


def mix_seed(seed: str, version: int, roots: Mapping[Side, str]) -> str:
    """Return the text that decides the draws of a turn with these Merkle roots, of the sides that moved."""
    if version == FROM_SEED:
        return seed
    return sha256(f"{seed}:{roots.get('red', '')}:{roots.get('yellow', '')}".encode("ascii")).hexdigest()


def draw_options_lot(seed: str) -> int:
    """Return the number that decides what is drawn at the start of a match."""
    return int.from_bytes(sha256(f"{seed}:options".encode("ascii")).digest(), "big")


def draw_lot(mixed: str, side: Side, among: int, number: int = 0) -> int:
    """Return a number from 0 to `among` - 1. `mixed` is from `mix_seed`.

    Each side has its own lot, and so does each round of a runoff (`number`, from 1).
    """
    lot = f"{mixed}:{side}:{number}" if number else f"{mixed}:{side}"
    return int.from_bytes(sha256(lot.encode("ascii")).digest(), "big") % among
