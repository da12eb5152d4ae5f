"""The Merkle tree of RFC 6962: one hash commits to a list, and a short path shows what is in it.

Hashes are bytes of SHA-256. A leaf and a node are hashed with a different byte in front, so that neither
can be passed off as the other.
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
    """Over `contents`, in their order. Every level is kept: a path is then read, not computed."""

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
        return self.levels[-1][0] if self.levels[0] else EMPTY

    def path(self, index: int) -> tuple[bytes, ...]:
        """The hashes beside the way from a leaf to the root, lowest first."""
        beside = []
        for level in self.levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                beside.append(level[sibling])
            index >>= 1
        return tuple(beside)


def _parent_level(level: Sequence[bytes]) -> list[bytes]:
    """Pairs become nodes; the last one without a partner goes up as it is."""
    pairs = zip(level[::2], level[1::2], strict=False)
    above = [hash_node(left, right) for left, right in pairs]
    if len(level) % 2:
        above.append(level[-1])
    return above
