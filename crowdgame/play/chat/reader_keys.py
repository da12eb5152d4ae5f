"""Signed reader keys: a page gives one to its chat socket. The key names the room and the reader.

The socket never authenticates by cookie.
"""

from dataclasses import dataclass

from django.core import signing

READER_KEY_SALT = "crowdgame.play.chat"
KEY_MAX_AGE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class ChatReader:
    """A reader of the room `slug`. `guest` is the guest's key, None for visitors without one."""

    slug: str
    guest: int | None


def make_reader_key(reader: ChatReader) -> str:
    return signing.TimestampSigner(salt=READER_KEY_SALT).sign(f"{reader.slug}.{reader.guest or 0}")


def read_reader_key(key: str) -> ChatReader | None:
    """Return the reader, or None if the key is forged or older than KEY_MAX_AGE_S."""
    try:
        signed = signing.TimestampSigner(salt=READER_KEY_SALT).unsign(key, KEY_MAX_AGE_S)
    except signing.BadSignature:
        return None
    slug, _, guest = signed.partition(".")
    return ChatReader(slug, int(guest) or None)
