"""Ballots as the scripts of the ballot box take and store them."""

from collections.abc import Iterable
from operator import attrgetter

import msgspec

from voting.counting.ballots import Ballot

MAX_BATCH = 2_000

_decode_ballots = msgspec.json.Decoder(list[Ballot]).decode
encode_batch = msgspec.msgpack.Encoder().encode


def decode_stored_ballots(voters: Iterable[bytes], texts: Iterable[bytes]) -> tuple[Ballot, ...]:
    """Return the ballots in order of arrival. Decodes them in one call, because a reveal waits for it."""
    rows = map(b'["%b",%b]'.__mod__, zip(voters, texts, strict=True))
    ballots = _decode_ballots(b"[" + b",".join(rows) + b"]")
    return tuple(sorted(ballots, key=attrgetter("arrival")))
