"""Signed notes (c2sp.org/signed-note): a text, and the signatures of keys that vouch for it."""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519, COSIGNATURE_V1, ML_DSA_44 = 0x01, 0x04, 0x06
KEY_BYTES = {ED25519: 32, COSIGNATURE_V1: 32, ML_DSA_44: 1312}
KEY_ID_BYTES = 4
MAX_NOTE_BYTES = 128 * 1024  # thirty signatures with ML-DSA-44
NAME = re.compile(r"[^\s+\x00-\x1f]+")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
SIGNATURE_LINE = re.compile(r"— (\S+) (\S+)")


class InvalidNote(ValueError):
    """The note or key is malformed, or a known key's signature is wrong."""


def decode_base64(text: str) -> bytes:
    """Raises InvalidNote unless `text` is the one canonical encoding of its bytes."""
    try:
        decoded = b64decode(text, validate=True)
    except (Base64Error, ValueError) as error:
        raise InvalidNote("malformed base64") from error
    if b64encode(decoded).decode() != text:
        raise InvalidNote("base64 that is not canonical")
    return decoded


def encode_base64(content: bytes) -> str:
    return b64encode(content).decode("ascii")


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key (vkey) with its name and signature type."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        content = f"{self.name}\n".encode() + bytes([self.kind]) + self.public
        return sha256(content).digest()[:KEY_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(bytes([self.kind]) + self.public)}"


def parse_verifier_key(text: str) -> VerifierKey:
    """Raises InvalidNote."""
    name, _, rest = text.strip().partition("+")
    key_id, _, encoded = rest.partition("+")
    content = decode_base64(encoded)
    key = VerifierKey(name, content[0] if content else 0, content[1:])
    if not NAME.fullmatch(name) or KEY_BYTES.get(key.kind) != len(key.public) or key.key_id.hex() != key_id:
        raise InvalidNote("malformed verifier key")
    return key


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A signature line. `content` is what follows the key id."""

    name: str
    key_id: bytes
    content: bytes

    def __str__(self) -> str:
        return f"— {self.name} {encode_base64(self.key_id + self.content)}\n"

    def is_by(self, key: VerifierKey) -> bool:
        return (self.name, self.key_id) == (key.name, key.key_id)


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends with a newline, and its signatures, which are not verified yet."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"


def parse_note(content: bytes) -> SignedNote:
    """Raises InvalidNote."""
    if len(content) > MAX_NOTE_BYTES:
        raise InvalidNote("the note is too long")
    try:
        note = content.decode()
    except UnicodeDecodeError as error:
        raise InvalidNote("the note is not UTF-8") from error
    text, blank_line, signatures = note.rpartition("\n\n")
    if not blank_line or not signatures.endswith("\n") or CONTROL.search(note):
        raise InvalidNote("malformed note")
    return SignedNote(f"{text}\n", parse_signatures(signatures))


def parse_signatures(lines: str) -> tuple[NoteSignature, ...]:
    """Parse signature lines, each with its newline, and keep the first of each key. Raises InvalidNote."""
    kept = dict[tuple[str, bytes], NoteSignature]()
    for signature in map(_parse_signature, lines.removesuffix("\n").split("\n")):
        kept.setdefault((signature.name, signature.key_id), signature)
    return tuple(kept.values())


def _parse_signature(line: str) -> NoteSignature:
    match = SIGNATURE_LINE.fullmatch(line)
    content = decode_base64(match[2]) if match else b""
    if not match or not NAME.fullmatch(match[1]) or len(content) <= KEY_ID_BYTES:
        raise InvalidNote("malformed signature line")
    return NoteSignature(match[1], content[:KEY_ID_BYTES], content[KEY_ID_BYTES:])


def ed25519_verifier_key(name: str, private: bytes, kind: int = ED25519) -> VerifierKey:
    return VerifierKey(
        name, kind, Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    )


def sign_note(text: str, name: str, private: bytes) -> NoteSignature:
    """Sign with Ed25519. The same text gives the same signature."""
    signature = Ed25519PrivateKey.from_private_bytes(private).sign(text.encode())
    return NoteSignature(name, ed25519_verifier_key(name, private).key_id, signature)


def is_signed(note: SignedNote, key: VerifierKey) -> bool:
    """Return whether an Ed25519 key signed the note. Raises InvalidNote if its signature is wrong."""
    signatures = [signature for signature in note.signatures if signature.is_by(key)]
    for signature in signatures:
        verify_ed25519(key.public, signature.content, note.text.encode())
    return key.kind == ED25519 and bool(signatures)


def verify_ed25519(public: bytes, signature: bytes, message: bytes) -> None:
    """Raises InvalidNote."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature as error:
        raise InvalidNote("a signature is wrong") from error
