"""The crowd's seats in a file, so that a crowd that starts again is the same crowd."""

import os
from pathlib import Path

import msgspec


class SavedSeats(msgspec.Struct, frozen=True):
    """Tokens by phone index, of one event."""

    code: str
    tokens: dict[int, str]


def read_seats(file: Path, code: str) -> dict[int, str]:
    """No tokens if there is no such file, or it is of another event. Raises OSError, ValueError."""
    if not file.exists():
        return {}
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=SavedSeats)
    except msgspec.DecodeError as refusal:
        raise ValueError(f"{file} holds no seats: {refusal}") from refusal
    return kept.tokens if kept.code == code else {}


def write_seats(file: Path, code: str, tokens: dict[int, str]) -> None:
    """At once or not at all; for the owner's eyes only, a token is a seat."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        target.write(msgspec.json.encode(SavedSeats(code, tokens)))
    draft.replace(file)
