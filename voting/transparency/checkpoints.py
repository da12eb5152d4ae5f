"""Checkpoints (c2sp.org/tlog-checkpoint): the size and root hash of a log, in a signed note."""

import re
from dataclasses import dataclass

from voting.transparency.notes import (
    InvalidNote,
    SignedNote,
    VerifierKey,
    decode_base64,
    encode_base64,
    is_signed,
    parse_note,
)

SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
HASH_BYTES = 32
REQUIRED_LINES = 3


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The size and root hash of the log with this origin."""

    origin: str
    size: int
    root: bytes

    def __str__(self) -> str:
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Parse the text of a note. Ignores extension lines. Raises InvalidNote."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < REQUIRED_LINES or not all(lines) or not SIZE.fullmatch(lines[1]):
        raise InvalidNote("malformed checkpoint")
    return Checkpoint(lines[0], int(lines[1]), decode_hash(lines[2]))


def decode_hash(text: str) -> bytes:
    """Raises InvalidNote."""
    decoded = decode_base64(text)
    if len(decoded) != HASH_BYTES:
        raise InvalidNote("malformed hash")
    return decoded


def read_checkpoint(content: bytes, key: VerifierKey) -> tuple[SignedNote, Checkpoint]:
    """Parse a checkpoint that `key` signed, of the log that has the key's name. Raises InvalidNote."""
    note = parse_note(content)
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != key.name or not is_signed(note, key):
        raise InvalidNote(f"not signed by the key of the log {key.name}")
    return note, checkpoint
