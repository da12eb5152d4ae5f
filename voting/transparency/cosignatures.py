"""Cosignatures (c2sp.org/tlog-cosignature): a witness saw a checkpoint, and no other history."""

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey, MLDSA44PublicKey

from voting.transparency.checkpoints import parse_checkpoint
from voting.transparency.notes import (
    COSIGNATURE_V1,
    ML_DSA_44,
    InvalidNote,
    NoteSignature,
    SignedNote,
    VerifierKey,
    ed25519_verifier_key,
    verify_ed25519,
)

LABEL = b"subtree/v1\n\0"
TIMESTAMP_BYTES, MAX_TIMESTAMP = 8, 2**63 - 1


@dataclass(frozen=True, slots=True)
class Cosigner:
    """A witness's private key of type COSIGNATURE_V1 or ML_DSA_44: 32 random bytes."""

    name: str
    kind: int
    private: bytes

    @property
    def verifier_key(self) -> VerifierKey:
        if self.kind == COSIGNATURE_V1:
            return ed25519_verifier_key(self.name, self.private, COSIGNATURE_V1)
        public = MLDSA44PrivateKey.from_seed_bytes(self.private).public_key().public_bytes_raw()
        return VerifierKey(self.name, ML_DSA_44, public)

    def cosign(self, text: str, timestamp: int) -> NoteSignature:
        """Cosign the text of a checkpoint at this time, in seconds since 1970."""
        message = _message(self.name, self.kind, text, timestamp)
        if self.kind == COSIGNATURE_V1:
            signature = Ed25519PrivateKey.from_private_bytes(self.private).sign(message)
        else:
            signature = MLDSA44PrivateKey.from_seed_bytes(self.private).sign(message)
        stamped = timestamp.to_bytes(TIMESTAMP_BYTES) + signature
        return NoteSignature(self.name, self.verifier_key.key_id, stamped)


def find_cosignature(note: SignedNote, key: VerifierKey) -> NoteSignature | None:
    """Return the cosignature by `key`; None without one. Raises InvalidNote if it is wrong."""
    found = next((signature for signature in note.signatures if signature.is_by(key)), None)
    if found:
        _verify(note.text, found, key)
    return found


def _verify(text: str, signature: NoteSignature, key: VerifierKey) -> None:
    stamp, content = signature.content[:TIMESTAMP_BYTES], signature.content[TIMESTAMP_BYTES:]
    timestamp = int.from_bytes(stamp)
    if not 0 < timestamp <= MAX_TIMESTAMP:
        raise InvalidNote("a cosignature without a valid time")
    message = _message(key.name, key.kind, text, timestamp)
    if key.kind == COSIGNATURE_V1:
        verify_ed25519(key.public, content, message)
        return
    try:
        MLDSA44PublicKey.from_public_bytes(key.public).verify(content, message)
    except InvalidSignature as error:
        raise InvalidNote("a cosignature is wrong") from error


def _message(name: str, kind: int, text: str, timestamp: int) -> bytes:
    if kind == COSIGNATURE_V1:
        return f"cosignature/v1\ntime {timestamp}\n{text}".encode()
    if kind != ML_DSA_44:
        raise InvalidNote("not the key of a witness")
    checkpoint, stamp = parse_checkpoint(text), timestamp.to_bytes(TIMESTAMP_BYTES)
    start, end = (0).to_bytes(8), checkpoint.size.to_bytes(8)
    return LABEL + _opaque(name) + stamp + _opaque(checkpoint.origin) + start + end + checkpoint.root


def _opaque(text: str) -> bytes:
    """Encode `opaque<1..2^8-1>` of RFC 8446. Raises InvalidNote."""
    content = text.encode()
    if not 0 < len(content) < 2**8:
        raise InvalidNote("a name is too long")
    return bytes([len(content)]) + content
