from random import Random

import pytest
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

from voting.counting.commitments import EMPTY, Tree, hash_leaf
from voting.transparency import merkle, notes, tiles
from voting.transparency.checkpoints import Checkpoint, parse_checkpoint, read_checkpoint
from voting.transparency.cosignatures import Cosigner, find_cosignature
from voting.transparency.merkle import InvalidProof
from voting.transparency.proof_files import ProofFile, parse_proof, verify_proof

KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
NOTE = """\
This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""
COSIGNED = """\
example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa \
Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 \
jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""
LOG, LOG_KEY = "example.com/log", b"l" * 32
CHECKPOINT = Checkpoint(LOG, 2, Tree([hash_leaf(b"first"), hash_leaf(b"second")]).root)
TEXT = str(CHECKPOINT)
SIGNED = notes.SignedNote(TEXT, (notes.sign_note(TEXT, LOG, LOG_KEY),))
WITNESSES = [Cosigner("witness.example", kind, b"w" * 32) for kind in (notes.COSIGNATURE_V1, notes.ML_DSA_44)]
SIZES = 300
LEAVES = [hash_leaf(str(number).encode()) for number in range(SIZES)]
ROOTS = [Tree(LEAVES[:size]).root for size in range(SIZES + 1)]
LARGE = 70_000


def test_example_note_verifies_by_the_first_signature_of_its_key() -> None:
    note, key = notes.parse_note(NOTE.encode()), notes.parse_verifier_key(KEY)
    assert notes.is_signed(note, key)
    assert (str(note), str(key)) == (NOTE, KEY)
    assert not notes.is_signed(note, notes.ed25519_verifier_key("example.com/foo", b"o" * 32))
    with pytest.raises(notes.InvalidNote):
        notes.is_signed(notes.parse_note(NOTE.replace("example message", "other message").encode()), key)
    [line] = [f"{line}\n" for line in NOTE.splitlines() if line.startswith("— ")]
    copies = line.replace("aQM=", "aQQ=") * 2
    assert notes.parse_note((NOTE + copies).encode()) == note
    with pytest.raises(notes.InvalidNote):
        notes.is_signed(notes.parse_note(NOTE.replace(line, copies + line).encode()), key)


def test_malformed_note_or_key_is_refused() -> None:
    for change in [
        *(("\n\n", "\n"), ("message.", "message.\t"), ("— ", "- "), ("example.com/foo", "example.com/a+b")),
        *(("aQM=\n", "aQM="), ("aQM=", "aQN="), ("aQM=", "aQM")),
    ]:
        with pytest.raises(notes.InvalidNote):
            notes.parse_note(NOTE.replace(*change).encode())
    for change in (("530d", "530e"), ("+Aek", "+Bek"), ("U2k", "U2k="), ("example.com", "x y")):
        with pytest.raises(notes.InvalidNote):
            notes.parse_verifier_key(KEY.replace(*change))


def test_example_checkpoint_is_parsed() -> None:
    note = notes.parse_note(COSIGNED.encode())
    checkpoint = parse_checkpoint(note.text)
    assert str(checkpoint) == note.text
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert int.from_bytes(note.signatures[1].content[:8]) == 1679315147
    assert len(note.signatures[1].content) == 8 + 64


@pytest.mark.parametrize("size", ["01", "-1", "+1", "1.0", "", "٣"])
def test_malformed_size_is_refused(size: str) -> None:
    with pytest.raises(notes.InvalidNote):
        parse_checkpoint(TEXT.replace("\n2\n", f"\n{size}\n"))


def test_checkpoint_of_other_log_is_refused() -> None:
    key = notes.ed25519_verifier_key(LOG, LOG_KEY)
    assert read_checkpoint(str(SIGNED).encode(), key)[1] == CHECKPOINT
    other = TEXT.replace(LOG, "example.com/other")
    renamed = notes.SignedNote(other, (notes.sign_note(other, LOG, LOG_KEY),))
    for note in (renamed, notes.SignedNote(TEXT, (notes.sign_note(TEXT, LOG, b"x" * 32),))):
        with pytest.raises(notes.InvalidNote):
            read_checkpoint(str(note).encode(), key)


@pytest.mark.parametrize("witness", WITNESSES)
def test_cosignature_verifies(witness: Cosigner) -> None:
    key = notes.parse_verifier_key(str(witness.verifier_key))
    cosignature = witness.cosign(TEXT, 1_700_000_000)
    note = notes.parse_note(str(notes.SignedNote(TEXT, (*SIGNED.signatures, cosignature))).encode())
    assert find_cosignature(note, key) == cosignature
    assert find_cosignature(SIGNED, key) is None
    for place in (7, 8, -1):  # the time, and the signature
        content = bytearray(cosignature.content)
        content[place] ^= 1
        changed = type(cosignature)(cosignature.name, cosignature.key_id, bytes(content))
        with pytest.raises(notes.InvalidNote):
            find_cosignature(notes.SignedNote(TEXT, (changed,)), key)
    with pytest.raises(notes.InvalidNote):
        find_cosignature(notes.SignedNote(TEXT.replace("\n2\n", "\n3\n"), note.signatures), key)


def test_ml_dsa_cosignature_signs_the_specified_message() -> None:
    """Fields as in tlog-cosignature: label, name, time, origin, start, end and hash."""
    witness = WITNESSES[1]
    content = witness.cosign(TEXT, 5).content
    message = b"subtree/v1\n\0" + b"\x0fwitness.example" + bytes(7) + b"\5" + b"\x0fexample.com/log"
    message += bytes(8) + bytes(7) + b"\2" + CHECKPOINT.root
    MLDSA44PublicKey.from_public_bytes(witness.verifier_key.public).verify(content[8:], message)
    assert (content[:8], len(content)) == (bytes(7) + b"\5", 8 + 2420)


def test_proof_file_verifies_offline() -> None:
    proof = ProofFile(0, (hash_leaf(b"second"),), SIGNED)
    key = notes.ed25519_verifier_key(LOG, LOG_KEY)
    lines = str(proof).splitlines()
    assert (lines[0], lines[1], lines[3], lines[4]) == ("c2sp.org/tlog-proof@v1", "index 0", "", LOG)
    assert parse_proof(str(proof).encode()) == proof
    with_extra = str(proof).replace("index", "extra YWdl\nindex", 1)
    verify_proof(parse_proof(with_extra.encode()), b"first", key)
    for text, entry in ((str(proof), b"other"), (str(proof).replace("index 0", "index 1"), b"first")):
        with pytest.raises(InvalidProof):
            verify_proof(parse_proof(text.encode()), entry, key)
    with pytest.raises(notes.InvalidNote):
        parse_proof(str(proof).replace("index 0", "index 00").encode())


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


def test_every_proof_verifies_and_no_altered_one() -> None:
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
