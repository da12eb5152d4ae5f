"""A voter's seat: a signed token on the phone that says event, voter and team; no database knows it."""

import secrets
from dataclasses import dataclass
from functools import cache

from django.core import signing


@cache
def _signer() -> signing.Signer:
    return signing.Signer(salt="crowdgame.seat")


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
    try:
        event_id, voter, team = _signer().unsign(token).split(".")
    except signing.BadSignature:
        return None
    return Seat(int(event_id), voter, int(team))


def claimed_voter(token: str) -> str:
    """The voter a token names, unchecked: for who holds tokens but not the secret."""
    return token.split(".")[1]
