"""Seat tokens: a signed token on the phone with event, voter and team. The database stores no seats."""

import hmac
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from django.core import signing
from django.utils.crypto import salted_hmac

from voting import protocol
from voting.terms import PHONES

if TYPE_CHECKING:
    from voting.models import Team

OFFER_SALT, OFFER_TTL_MS = "crowdgame.offer", 120_000
RESERVATION_TTL_S, MAX_RESERVATIONS = 10.0, 20_000


class _Signer(signing.Signer):
    """Django's Signer with the HMAC key prepared once, not for each seat: thousands may join at a time."""

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
    """A voter's seat: `voter` is a random id, unique in the event, and `team` the team it was assigned."""

    event_id: int
    voter: str
    team: int


def new_seat(event_id: int, team: int) -> Seat:
    return Seat(event_id, secrets.token_hex(8), team)


def find_phone_team(teams: "Iterable[protocol.Team | Team]", team: int) -> int:
    """Return the team of a phone whose seat is in `team`. If only one team votes by phone, it is that one."""
    with_phones = [one.number for one in teams if one.source == PHONES]
    return with_phones[0] if len(with_phones) == 1 else team


def sign_seat(seat: Seat) -> str:
    """Return the seat token. It does not expire."""
    return _signer().sign(f"{seat.event_id}.{seat.voter}.{seat.team}")


def read_seat(token: str) -> Seat | None:
    """Return the seat of a token, or None if its signature is invalid."""
    parts = _unsign(token, _signer())
    return Seat(int(parts[0]), parts[1], int(parts[2])) if parts else None


def sign_offer(seat: Seat, now: int) -> str:
    """Return a token for an offered seat. A join within OFFER_TTL_MS of `now` can take it."""
    return _signer(OFFER_SALT).sign(f"{seat.event_id}.{seat.voter}.{seat.team}.{now}")


def read_offer(token: str, now: int) -> Seat | None:
    """Return the offered seat, or None if the signature is invalid or the offer has expired."""
    parts = _unsign(token, _signer(OFFER_SALT))
    if not parts or now >= int(parts[3]) + OFFER_TTL_MS:
        return None
    return Seat(int(parts[0]), parts[1], int(parts[2]))


def _unsign(token: str, signer: _Signer) -> list[str]:
    """Return the signed parts of a token; empty if its signature is invalid."""
    try:
        return signer.unsign(token).split(".") if token.isascii() else []
    except signing.BadSignature:
        return []


def unverified_voter(token: str) -> str:
    """The voter in a seat token, without checking the signature: for tools that lack SECRET_KEY."""
    return token.split(".")[1]


class ReservedSeats:
    """Seats of one event that were offered with a page in the last RESERVATION_TTL_S and are not taken yet.

    They keep teams balanced when many join at once. Beyond MAX_RESERVATIONS the oldest one is dropped.
    """

    def __init__(self) -> None:
        self._until: dict[str, tuple[Seat, float]] = {}  # the oldest first
        self._teams = [0, 0, 0]

    def add(self, seat: Seat) -> None:
        self._drop_expired()
        if len(self._until) >= MAX_RESERVATIONS:
            self.take(next(iter(self._until)))
        self._until[seat.voter] = (seat, time.monotonic() + RESERVATION_TTL_S)
        self._teams[seat.team] += 1

    def take(self, voter: str) -> None:
        """Remove a reserved seat. Does nothing if it is unknown or has expired."""
        if found := self._until.pop(voter, None):
            self._teams[found[0].team] -= 1

    def smaller(self, connected: tuple[int, int]) -> int:
        """The team with fewer connected voters and reserved seats; 1 if they are even."""
        self._drop_expired()
        return 1 if connected[0] + self._teams[1] <= connected[1] + self._teams[2] else 2

    def _drop_expired(self) -> None:
        now = time.monotonic()
        while self._until and next(iter(self._until.values()))[1] <= now:
            self.take(next(iter(self._until)))
