"""Verify a receipt as a phone does: follow the path from the leaf to the root (RFC 9162, 2.1.3.2)."""

from collections.abc import Sequence

from voting.counting.commitments import hash_leaf, hash_node


def root_of_path(content: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a path leads to from leaf `index` of `size`; None if the path has the wrong length."""
    if not 0 <= index < size:
        return None
    node, last, rest = hash_leaf(content), size - 1, list(reversed(path))
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            sibling = rest.pop()
            node = hash_node(sibling, node) if index % 2 else hash_node(node, sibling)
        index, last = index >> 1, last >> 1
    return None if rest else node
