"""The Merkle tree of a log (RFC 6962): appending to it, inclusion proofs and consistency proofs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from voting.counting.commitments import EMPTY, hash_node

#: Returns the hash of the complete subtree with 2**height leaves that begins at leaf `index` * 2**height.
Subtrees = Callable[[int, int], bytes]
Subtree = tuple[int, int, bytes]


class InvalidProof(ValueError):
    """The proof doesn't fit the entry or the checkpoints."""


@dataclass(frozen=True, slots=True)
class CompactRange:
    """All that appending needs: the roots of the complete subtrees of a tree, the largest first."""

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    @property
    def root(self) -> bytes:
        if not self.hashes:
            return EMPTY
        return reduce(lambda right, left: hash_node(left, right), reversed(self.hashes))

    def append(self, leaves: Iterable[bytes]) -> tuple["CompactRange", list[Subtree]]:
        """Return the range with these leaf hashes, and all subtrees that they complete."""
        size, hashes, completed = self.size, list(self.hashes), list[Subtree]()
        for leaf in leaves:
            node, height = leaf, 0
            while size >> height & 1:
                node, height = hash_node(hashes.pop(), node), height + 1
                completed.append((height, size >> height, node))
            hashes.append(node)
            size += 1
        return CompactRange(size, tuple(hashes)), completed


def _split(size: int) -> int:
    """Return the size of the left subtree: the largest power of two below `size`."""
    return 1 << (size - 1).bit_length() - 1


def hash_range(subtrees: Subtrees, start: int, end: int) -> bytes:
    """Return the Merkle tree hash of the leaves from `start` to `end`, a range that RFC 6962 splits off."""
    size = end - start
    if size == 0:
        return EMPTY
    if size & (size - 1) == 0:
        height = size.bit_length() - 1
        return subtrees(height, start >> height)
    middle = start + _split(size)
    return hash_node(hash_range(subtrees, start, middle), hash_range(subtrees, middle, end))


def prove_inclusion(subtrees: Subtrees, index: int, size: int) -> list[bytes]:
    """Return the path from a leaf to the root of a tree of this size, the leaf's sibling first."""
    start, end, path = 0, size, list[bytes]()
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(hash_range(subtrees, middle, end))
            end = middle
        else:
            path.append(hash_range(subtrees, start, middle))
            start = middle
    return path[::-1]


def verify_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Raises InvalidProof."""
    if not 0 <= index < size or _root_above(leaf, index, size, path) != root:
        raise InvalidProof("the inclusion proof doesn't verify")


def _root_above(node: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    if (size == 1) != (not path):
        raise InvalidProof("the inclusion proof has a wrong length")
    if size == 1:
        return node
    left = _split(size)
    if index < left:
        return hash_node(_root_above(node, index, left, path[:-1]), path[-1])
    return hash_node(path[-1], _root_above(node, index - left, size - left, path[:-1]))


def prove_consistency(subtrees: Subtrees, old_size: int, size: int) -> list[bytes]:
    """Return the proof that the tree of `size` begins with that of `old_size`, which is at most `size`."""
    if old_size in (0, size):
        return []
    start, end, proof = 0, size, list[bytes]()
    while end != old_size:
        middle = start + _split(end - start)
        if old_size <= middle:
            proof.append(hash_range(subtrees, middle, end))
            end = middle
        else:
            proof.append(hash_range(subtrees, start, middle))
            start = middle
    if start:
        proof.append(hash_range(subtrees, start, end))
    return proof[::-1]


def verify_consistency(
    old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]
) -> None:
    """Raises InvalidProof."""
    if old_size == 0 and size:
        if proof or old_root != EMPTY:
            raise InvalidProof("every tree begins with the empty one, without a proof")
    elif not 0 <= old_size <= size or _both_roots(old_size, size, proof, old_root) != (old_root, root):
        raise InvalidProof("the consistency proof doesn't verify")


def _both_roots(old_size: int, size: int, proof: Sequence[bytes], whole: bytes | None) -> tuple[bytes, bytes]:
    """Return the roots of the old and the new subtree. `whole` is the first if that is the whole old tree."""
    if old_size == size:
        if len(proof) != (whole is None):
            raise InvalidProof("the consistency proof has a wrong length")
        same = whole or proof[0]
        return same, same
    if not proof:
        raise InvalidProof("the consistency proof is too short")
    left = _split(size)
    if old_size <= left:
        old, new = _both_roots(old_size, left, proof[:-1], whole)
        return old, hash_node(new, proof[-1])
    old, new = _both_roots(old_size - left, size - left, proof[:-1], None)
    return hash_node(proof[-1], old), hash_node(proof[-1], new)
