"""The entries of the transparency log: what happened to a turn, as JSON.

They name turns by id, and contain only what is public when they are written. The tag tells type and version.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from voting.counting.commitments import Commitment
from voting.counting.types import Count, Hash

#: Restoring a backup raises the epoch of open turns by at least this much.
BACKUP_EPOCH_LEAP = 1_000
Epoch = Annotated[int, Meta(ge=1, le=2**53 - 1)]


class Lot(msgspec.Struct, frozen=True, kw_only=True, tag="lot 1"):
    """A turn was planned: the commitment to its seed."""

    turn: Count
    lot: Hash


class Seal(msgspec.Struct, frozen=True, kw_only=True, tag="seal 1", omit_defaults=True):
    """A turn was sealed: what `turn.sealed` says. Secret sides have only `turn_commitment`."""

    turn: Count
    at: Count
    epoch: Epoch
    red: Commitment | None = None
    yellow: Commitment | None = None
    turn_commitment: Hash | None = None


class SealVoided(msgspec.Struct, frozen=True, kw_only=True, tag="seal void 1"):
    """The last seal of the turn is void from `at` on; `epoch` is that from then on."""

    turn: Count
    reason: str
    at: Count
    epoch: Epoch


class TurnVoided(msgspec.Struct, frozen=True, kw_only=True, tag="turn void 1"):
    """The turn doesn't count."""

    turn: Count
    reason: str
    at: Count


class MatchOver(msgspec.Struct, frozen=True, kw_only=True, tag="match over 1"):
    """A match is over. `turn` is its latest turn, and `record` the hash of its record (`hash_record`)."""

    turn: Count
    record: Hash


class Restored(msgspec.Struct, frozen=True, kw_only=True, tag="restored 1"):
    """A backup was restored. Later entries of the log `origin` are lost, and this log has a new key."""

    origin: str


TurnEntry = Lot | Seal | SealVoided | TurnVoided | MatchOver
Entry = TurnEntry | Restored

_decoder: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def encode_entry(entry: Entry) -> bytes:
    return msgspec.json.encode(entry)


def decode_entry(content: bytes) -> Entry:
    """Raises ValueError."""
    return _decoder.decode(content)


def entry_turn(entry: Entry) -> int | None:
    """Return the id of the turn that the entry is about, if any."""
    return None if isinstance(entry, Restored) else entry.turn
