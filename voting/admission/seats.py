"""A voter's seat: a signed token on the phone that says event, voter and team; no database knows it.

Its sign is what people call it by: the phone shows it, an organizer types it.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from functools import cache

from django.core import signing
from django.utils.crypto import salted_hmac

OFFER_SALT, OFFER_TTL_MS = "crowdgame.offer", 120_000
VOTER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
VOTER_CODE_LENGTH = 6


class _Signer(signing.Signer):
    """Django's, but a key is prepared once and not for every seat: whole halls come at a time."""

    def signature(self, value: str | bytes, key: str | bytes | None = None) -> str:
        mac = _prepared_hmac(self.salt, key or self.key, self.algorithm).copy()
        mac.update(value.encode() if isinstance(value, str) else value)
        return signing.b64_encode(mac.digest()).decode()


@cache
def _prepared_hmac(salt: str, key: str | bytes, algorithm: str) -> hmac.HMAC:
    return salted_hmac(salt + "signer", "", key, algorithm=algorithm)


@cache
def _signer(salt: str = "crowdgame.seat") -> _Signer:
    return _Signer(salt=salt)


@dataclass(frozen=True, slots=True)
class Seat:
    event_id: int
    voter: str
    team: int


def new_seat(event_id: int, team: int) -> Seat:
    return Seat(event_id, secrets.token_hex(8), team)


def sign_seat(seat: Seat) -> str:
    return _signer().sign(f"{seat.event_id}.{seat.voter}.{seat.team}")


def read_seat(token: str) -> Seat | None:
    """None if the token is forged or torn."""
    if not token.isascii():
        return None
    try:
        event_id, voter, team = _signer().unsign(token).split(".")
    except signing.BadSignature:
        return None
    return Seat(int(event_id), voter, int(team))


def sign_offer(seat: Seat, now: int) -> str:
    """A seat that is nobody's yet, for whoever comes with it soon after `now`."""
    return _signer(OFFER_SALT).sign(f"{seat.event_id}.{seat.voter}.{seat.team}.{now}")


def read_offer(token: str, now: int) -> Seat | None:
    """None if it is forged or torn, or was made too long ago."""
    if not token.isascii():
        return None
    try:
        event_id, voter, team, made_at = _signer(OFFER_SALT).unsign(token).split(".")
    except signing.BadSignature:
        return None
    return Seat(int(event_id), voter, int(team)) if now < int(made_at) + OFFER_TTL_MS else None


def derive_voter_code(voter: str) -> str:
    """The same on every machine and under every secret: what was ruled about a seat outlives a new key."""
    number = int.from_bytes(hashlib.sha256(f"crowdgame.sign.{voter}".encode()).digest()[:8], "big")
    chars = []
    for _ in range(VOTER_CODE_LENGTH):
        number, char = divmod(number, len(VOTER_CODE_ALPHABET))
        chars.append(VOTER_CODE_ALPHABET[char])
    return "".join(chars)


def normalize_voter_code(text: str) -> str | None:
    """As it is kept, whichever way it was typed; None if it cannot be one."""
    voter_code = "".join(text.split()).replace("-", "").upper()
    return (
        voter_code
        if len(voter_code) == VOTER_CODE_LENGTH and set(voter_code) <= set(VOTER_CODE_ALPHABET)
        else None
    )


def unverified_voter(token: str) -> str:
    """The voter a token names, unchecked: for who holds tokens but not the secret."""
    return token.split(".")[1]
