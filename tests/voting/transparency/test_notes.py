"""Signed notes, checkpoints, cosignatures and proof files, from the examples of their specifications."""

import pytest
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

from voting.counting.commitments import Tree, hash_leaf
from voting.transparency import notes
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


def test_example_note_verifies_by_the_first_signature_of_its_key() -> None:
    note, key = notes.parse_note(NOTE.encode()), notes.parse_verifier_key(KEY)
    assert notes.is_signed(note, key)
    assert (str(note), str(key)) == (NOTE, KEY)
    assert not notes.is_signed(note, notes.ed25519_verifier_key("example.com/foo", b"o" * 32))
    with pytest.raises(notes.InvalidNote):
        notes.is_signed(notes.parse_note(NOTE.replace("example message", "other message").encode()), key)
    [line] = [f"{line}\n" for line in NOTE.splitlines() if line.startswith("— ")]
    copies = line.replace("aQM=", "aQQ=") * 2
    assert notes.parse_note((NOTE + copies).encode()) == notes.parse_note(NOTE.encode())
    with pytest.raises(notes.InvalidNote):
        notes.is_signed(
            notes.parse_note(NOTE.replace(line, copies + line).encode()), notes.parse_verifier_key(KEY)
        )


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
