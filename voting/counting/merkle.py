"""The Merkle tree of RFC 6962: one hash commits to a list, and a short path proves that an entry is in it.

Hashes are the bytes of SHA-256. Leaves and nodes are hashed with different prefixes, so that neither can pass
as the other.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

LEAF, NODE = b"\x00", b"\x01"
EMPTY = sha256().digest()


def hash_leaf(content: bytes) -> bytes:
    return sha256(LEAF + content).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    return sha256(NODE + left + right).digest()


class Tree:
    """A Merkle tree over `contents`, in their order.

    It keeps every level, so that a path needs no hashing.
    """

    __slots__ = ("levels",)

    def __init__(self, contents: Iterable[bytes]) -> None:
        level = [hash_leaf(content) for content in contents]
        self.levels = [level]
        while len(level) > 1:
            level = _parent_level(level)
            self.levels.append(level)

    def __len__(self) -> int:
        return len(self.levels[0])

    @property
    def root(self) -> bytes:
        """The Merkle root; the hash of the empty string if there are no contents."""
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
    pairs = zip(level[::2], level[1::2], strict=False)
    above = [hash_node(left, right) for left, right in pairs]
    if len(level) % 2:
        above.append(level[-1])
    return above
