"""Compact ranges, proofs and tiles of all small trees, against the definition of RFC 6962."""

from random import Random

import pytest

from voting.counting.commitments import EMPTY, Tree, hash_leaf
from voting.transparency import merkle, tiles

SIZES = 300
LEAVES = [hash_leaf(str(number).encode()) for number in range(SIZES)]
ROOTS = [Tree(LEAVES[:size]).root for size in range(SIZES + 1)]
LARGE = 70_000


def subtrees(size: int) -> merkle.Subtrees:
    levels = {0: LEAVES[:size], 1: [Tree(LEAVES[:256]).root] if size >= 256 else []}

    def read(level: int, index: int, width: int) -> bytes:
        hashes = levels[level][index * 256 :][:width]
        assert len(hashes) == width > 0
        return b"".join(hashes)

    return tiles.tile_subtrees(read, size)


def other_proofs(proof: list[bytes], random: Random) -> list[list[bytes]]:
    """The proof with one random byte changed, shorter, and longer."""
    if not proof:
        return [[EMPTY]]
    number, place = random.randrange(len(proof)), random.randrange(32)
    changed = bytearray(proof[number])
    changed[place] ^= random.randrange(1, 256)
    return [[*proof[:number], bytes(changed), *proof[number + 1 :]], proof[:-1], [*proof, EMPTY]]


def test_appending_gives_the_root_of_each_size() -> None:
    grown = merkle.CompactRange()
    assert grown.root == EMPTY
    for size, leaf in enumerate(LEAVES, 1):
        grown, _ = grown.append([leaf])
        assert grown.root == ROOTS[size]
    assert merkle.CompactRange().append(LEAVES)[0] == grown
    for size in (0, 1, 255, 256, 257, 300):
        assert merkle.hash_range(subtrees(size), 0, size) == ROOTS[size]


def test_every_inclusion_proof_verifies_and_no_altered_one() -> None:
    random = Random(6962)
    for size in range(1, SIZES + 1):
        tree = subtrees(size)
        for index in {0, size - 1, *random.sample(range(size), min(size, 5))}:
            proof = merkle.prove_inclusion(tree, index, size)
            merkle.verify_inclusion(LEAVES[index], index, size, proof, ROOTS[size])
            for other in other_proofs(proof, random):
                with pytest.raises(merkle.InvalidProof):
                    merkle.verify_inclusion(LEAVES[index], index, size, other, ROOTS[size])
            with pytest.raises(merkle.InvalidProof):
                merkle.verify_inclusion(EMPTY, index, size, proof, ROOTS[size])
        with pytest.raises(merkle.InvalidProof):
            merkle.verify_inclusion(LEAVES[0], size, size, [], ROOTS[size])


def test_every_consistency_proof_verifies_and_no_altered_one() -> None:
    random = Random(9162)
    for size in range(1, SIZES + 1):
        tree = subtrees(size)
        for old in {0, 1, size, *random.sample(range(size), min(size, 5))}:
            proof = merkle.prove_consistency(tree, old, size)
            merkle.verify_consistency(old, ROOTS[old], size, ROOTS[size], proof)
            for other in other_proofs(proof, random):
                with pytest.raises(merkle.InvalidProof):
                    merkle.verify_consistency(old, ROOTS[old], size, ROOTS[size], other)
            with pytest.raises(merkle.InvalidProof):
                merkle.verify_consistency(old, hash_leaf(b"other"), size, ROOTS[size], proof)
    with pytest.raises(merkle.InvalidProof):
        merkle.verify_consistency(2, ROOTS[2], 1, ROOTS[1], [])


def test_tiles_and_bundles_of_specification_example() -> None:
    widths = [[tiles.tile_width(level, index, LARGE) for index in range(300)] for level in range(3)]
    assert [row.count(256) for row in widths] == [273, 1, 0]
    assert [[width for width in row if 0 < width < 256] for row in widths] == [[112], [17], [1]]
    assert [tiles.tile_width(level, 0, 256) for level in range(3)] == [256, 1, 0]
    assert tiles.tile_path(0, 1234067, 256) == "0/x001/x234/067"
    assert tiles.tile_path("entries", 5, 17) == "entries/005.p/17"
    assert tiles.encode_bundle([b"", b"ab", b"c" * 256]) == b"\0\0\0\2ab\1\0" + b"c" * 256
    assert tiles.decode_bundle(tiles.encode_bundle([b"", b"ab"])) == [b"", b"ab"]
    for cut in (b"\0", b"\0\2a"):
        with pytest.raises(ValueError, match="cut off"):
            tiles.decode_bundle(cut)


@pytest.mark.parametrize(
    ("paths", "is_tile"),
    [
        (("0/x001/x234/067", "63/000.p/255", "entries/005.p/1", "12/x123/456", "0/999"), True),
        (("00/000", "64/000", "0/00", "0/x000/001", "0/001/002", "0/\u0661\u0662\u0663"), False),
        (("0/000.p/0", "0/000.p/256", "0/000.p/01"), False),
    ],
)
def test_only_tile_path_is_parsed(paths: tuple[str, ...], is_tile: bool) -> None:
    for path in paths:
        tile = tiles.parse_tile_path(path)
        assert (tile and tiles.tile_path(*tile)) == (path if is_tile else None), path
