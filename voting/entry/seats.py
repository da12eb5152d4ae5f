"""A voter's seat: a signed token on the phone that says event, voter and team; no database knows it."""

import hmac
import secrets
from dataclasses import dataclass
from functools import cache

from django.core import signing
from django.utils.crypto import salted_hmac


class _Signer(signing.Signer):
    """Django's, but a key is prepared once and not for every seat: whole halls come at a time."""

    def signature(self, value: str | bytes, key: str | bytes | None = None) -> str:
        told = _prepared(self.salt, key or self.key, self.algorithm).copy()
        told.update(value.encode() if isinstance(value, str) else value)
        return signing.b64_encode(told.digest()).decode()


@cache
def _prepared(salt: str, key: str | bytes, algorithm: str) -> hmac.HMAC:
    return salted_hmac(salt + "signer", "", key, algorithm=algorithm)


@cache
def _signer() -> _Signer:
    return _Signer(salt="crowdgame.seat")


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


def claimed_voter(token: str) -> str:
    """The voter a token names, unchecked: for who holds tokens but not the secret."""
    return token.split(".")[1]
