"""Saved seat tokens: a crowd that restarts takes its seats again."""

import os
from pathlib import Path

import msgspec


class SavedSeats(msgspec.Struct, frozen=True):
    """Seat tokens of one event, by phone index."""

    code: str
    tokens: dict[int, str]


def read_seats(file: Path, code: str) -> dict[int, str]:
    """Return the tokens; none without the file or for another event. Raises OSError, ValueError."""
    if not file.exists():
        return {}
    try:
        saved = msgspec.json.decode(file.read_bytes(), type=SavedSeats)
    except msgspec.DecodeError as refusal:
        raise ValueError(f"{file} holds no seats: {refusal}") from refusal
    return saved.tokens if saved.code == code else {}


def write_seats(file: Path, code: str, tokens: dict[int, str]) -> None:
    """Replace the file atomically. Mode 0600: a token is a seat."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        target.write(msgspec.json.encode(SavedSeats(code, tokens)))
    draft.replace(file)
