"""What a phone does with a receipt: from its leaf along the path to a root (RFC 9162, 2.1.3.2)."""

from collections.abc import Sequence

from voting.counting.merkle import hash_leaf, hash_node


def root_of_path(content: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a path leads to from leaf `index` of `size`; None if the path is not of that shape."""
    if not 0 <= index < size:
        return None
    reached, last, rest = hash_leaf(content), size - 1, list(reversed(path))
    while last:
        if index % 2 or index < last:
            if not rest:
                return None
            beside = rest.pop()
            reached = hash_node(beside, reached) if index % 2 else hash_node(reached, beside)
        index, last = index >> 1, last >> 1
    return None if rest else reached
