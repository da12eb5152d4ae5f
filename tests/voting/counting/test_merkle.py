"""The Merkle tree of RFC 6962, checked against published roots and paths and against its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voting.merkle_path import root_of_path
from voting.counting.commitments import EMPTY, Tree, hash_leaf, hash_node

# Leaves, tree heads and paths from the test vectors of Certificate Transparency implementations.
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
PATHS = {
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
lists = st.lists(st.binary(max_size=4), min_size=1, max_size=70)


@pytest.mark.parametrize("size", range(9))
def test_tree_reproduces_published_roots(size: int) -> None:
    assert Tree(map(hash_leaf, LEAVES[:size])).root.hex() == ROOTS[size]
    assert len(Tree(map(hash_leaf, LEAVES[:size]))) == size


@pytest.mark.parametrize(("index", "size"), PATHS)
def test_tree_reproduces_published_paths(index: int, size: int) -> None:
    assert [sibling.hex() for sibling in Tree(map(hash_leaf, LEAVES[:size])).path(index)] == PATHS[
        index, size
    ]


def root_by_definition(contents: list[bytes]) -> bytes:
    """RFC 6962: split at the largest power of two smaller than the number of leaves."""
    if not contents:
        return EMPTY
    if len(contents) == 1:
        return hash_leaf(contents[0])
    split = 1 << (len(contents) - 1).bit_length() - 1
    return hash_node(root_by_definition(contents[:split]), root_by_definition(contents[split:]))


@given(lists)
def test_root_matches_rfc_6962_definition(contents: list[bytes]) -> None:
    assert Tree(map(hash_leaf, contents)).root == root_by_definition(contents)


@given(lists)
def test_path_of_every_leaf_leads_to_root(contents: list[bytes]) -> None:
    tree = Tree(map(hash_leaf, contents))
    for index, content in enumerate(contents):
        path = tree.path(index)
        assert root_of_path(content, index, len(tree), path) == tree.root
        assert root_of_path(content + b"x", index, len(tree), path) != tree.root
        assert root_of_path(content, index, len(tree), (*path, EMPTY)) is None
