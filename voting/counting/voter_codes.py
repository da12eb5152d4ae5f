"""Voter codes: six letters derived from a voter id.

The phone shows its code, so that an organizer can refer to the voter and name a captain.
"""

import hashlib
from functools import lru_cache

from voting.typed_codes import normalize_code

VOTER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
VOTER_CODE_LENGTH = 6
VOTERS_KEPT = 1_000  # a join derives the code of its voter several times


@lru_cache(VOTERS_KEPT)
def derive_voter_code(voter: str) -> str:
    """Return the voter code of a voter.

    It is independent of SECRET_KEY, so that restrictions stay valid after the key is rotated.
    """
    number = int.from_bytes(hashlib.sha256(f"crowdgame.sign.{voter}".encode()).digest()[:8], "big")
    chars = []
    for _ in range(VOTER_CODE_LENGTH):
        number, char = divmod(number, len(VOTER_CODE_ALPHABET))
        chars.append(VOTER_CODE_ALPHABET[char])
    return "".join(chars)


def normalize_voter_code(text: str) -> str | None:
    """Return a typed voter code as it is stored, or None if it is malformed."""
    voter_code = normalize_code(text)
    known = len(voter_code) == VOTER_CODE_LENGTH and set(voter_code) <= set(VOTER_CODE_ALPHABET)
    return voter_code if known else None
