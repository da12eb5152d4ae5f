"""Proofs in the format c2sp.org/tlog-proof@v1, which anyone can verify offline."""

from dataclasses import dataclass

from voting.counting.commitments import hash_leaf
from voting.transparency.checkpoints import SIZE, decode_hash, read_checkpoint
from voting.transparency.merkle import verify_inclusion
from voting.transparency.notes import InvalidNote, SignedNote, VerifierKey, encode_base64, parse_note

HEADER = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class ProofFile:
    """That the entry at `index` is in the log of the checkpoint."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: SignedNote

    def __str__(self) -> str:
        lines = HEADER, f"index {self.index}", *map(encode_base64, self.path), "", str(self.checkpoint)
        return "\n".join(lines)


def parse_proof(content: bytes) -> ProofFile:
    """Parse a proof and ignore its extra data, which nobody signed. Raises InvalidNote."""
    head, _, note = content.partition(b"\n\n")
    header, *lines = head.decode("ascii", "replace").split("\n")
    if lines and lines[0].startswith("extra "):
        lines.pop(0)
    word, _, index = lines.pop(0).partition(" ") if lines else ("", "", "")
    if header != HEADER or word != "index" or not SIZE.fullmatch(index):
        raise InvalidNote("malformed proof")
    return ProofFile(int(index), tuple(map(decode_hash, lines)), parse_note(note))


def verify_proof(proof: ProofFile, entry: bytes, key: VerifierKey) -> None:
    """Check that the log with this key contains the entry. Raises InvalidNote or InvalidProof.

    Cosignatures are the caller's to check: `find_cosignature(proof.checkpoint, witness)`.
    """
    _, checkpoint = read_checkpoint(str(proof.checkpoint).encode(), key)
    verify_inclusion(hash_leaf(entry), proof.index, checkpoint.size, proof.path, checkpoint.root)
