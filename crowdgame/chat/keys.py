"""What a page gives its socket to show: which room, and who reads. A cookie never speaks for a socket."""

from dataclasses import dataclass

from django.core import signing

SALT = "crowdgame.chat"
GOOD_FOR_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class Reader:
    """`guest` is None for whoever has no name yet."""

    place: str
    guest: int | None


def key_for(reader: Reader) -> str:
    return signing.TimestampSigner(salt=SALT).sign(f"{reader.place}.{reader.guest or 0}")


def read_key(key: str) -> Reader | None:
    """None if it is forged or too old."""
    try:
        place, _, guest = signing.TimestampSigner(salt=SALT).unsign(key, GOOD_FOR_S).partition(".")
    except signing.BadSignature:
        return None
    return Reader(place, int(guest) or None)
