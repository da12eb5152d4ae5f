"""What a report file has of the transparency log: the entries of its match, with proofs."""

from collections.abc import Iterable, Sequence

import msgspec

from voting.counting.commitments import hash_leaf
from voting.models import Match
from voting.records.match_roots import ProvenEntry
from voting.transparency.checkpoints import read_checkpoint
from voting.transparency.cosignatures import find_cosignature
from voting.transparency.entries import Entry, decode_entry
from voting.transparency.log import load_log, prove_entries
from voting.transparency.merkle import verify_inclusion
from voting.transparency.notes import InvalidNote, VerifierKey

#: What precedes the proof in a report file.
PROOF_OPENS = b'<script id="log" type="application/json">'


class LogProof(msgspec.Struct, frozen=True, kw_only=True):
    """The entries of a match, and a checkpoint that the log with this key signed."""

    key: str
    checkpoint: str
    entries: tuple[ProvenEntry, ...]


def export_log_proof(match: Match) -> LogProof | None:
    """Return the proof of the match, or None if the log has no entries of it. Raises InvalidProof."""
    proofs = prove_entries(match.turns.values_list("pk", flat=True))
    if not proofs:
        return None
    return LogProof(
        key=str(load_log().verifier_key),
        checkpoint=str(proofs[0][1].checkpoint),
        entries=tuple(
            ProvenEntry(entry=entry, index=proof.index, path=tuple(one.hex() for one in proof.path))
            for entry, proof in proofs
        ),
    )


def read_log_proof(file: bytes) -> LogProof | None:
    """Return the proof in a report file, or None if there is none. Raises msgspec.DecodeError."""
    _, opens, content = file.partition(PROOF_OPENS)
    return msgspec.json.decode(content.partition(b"</script>")[0], type=LogProof) if opens else None


def proven_entries(proof: LogProof, key: VerifierKey, witnesses: Iterable[VerifierKey]) -> Sequence[Entry]:
    """Return the entries, all in the checkpoint that the log and the witnesses signed.

    Raises InvalidNote, InvalidProof or ValueError.
    """
    note, checkpoint = read_checkpoint(proof.checkpoint.encode(), key)
    for witness in witnesses:
        if find_cosignature(note, witness) is None:
            raise InvalidNote(f"the witness {witness.name} has not cosigned the checkpoint in the file")
    for entry in proof.entries:
        path = tuple(map(bytes.fromhex, entry.path))
        verify_inclusion(hash_leaf(entry.entry.encode()), entry.index, checkpoint.size, path, checkpoint.root)
    return [decode_entry(one.entry.encode()) for one in sorted(proof.entries, key=lambda entry: entry.index)]
