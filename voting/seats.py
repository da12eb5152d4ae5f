"""A voter's seat: a signed token on the phone that says event, voter and team; no database knows it."""

import secrets
from dataclasses import dataclass

from django.core import signing

SIGNER = signing.Signer(salt="crowdgame.seat")


@dataclass(frozen=True, slots=True)
class Seat:
    event_id: int
    voter: str
    team: int


def new_seat(event_id: int, team: int) -> Seat:
    return Seat(event_id, secrets.token_hex(8), team)


def sign_seat(seat: Seat) -> str:
    return SIGNER.sign(f"{seat.event_id}.{seat.voter}.{seat.team}")


def read_seat(token: str) -> Seat | None:
    """None if the token is forged or torn."""
    try:
        event_id, voter, team = SIGNER.unsign(token).split(".")
    except signing.BadSignature:
        return None
    return Seat(int(event_id), voter, int(team))
