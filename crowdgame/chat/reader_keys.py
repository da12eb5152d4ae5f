"""What a page gives its socket to show: which room, and who reads. A cookie never speaks for a socket."""

from dataclasses import dataclass

from django.core import signing

READER_KEY_SALT = "crowdgame.chat"
KEY_MAX_AGE_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class ChatReader:
    """`guest` is None for whoever has no name yet."""

    slug: str
    guest: int | None


def make_reader_key(reader: ChatReader) -> str:
    return signing.TimestampSigner(salt=READER_KEY_SALT).sign(f"{reader.slug}.{reader.guest or 0}")


def read_reader_key(key: str) -> ChatReader | None:
    """None if it is forged or too old."""
    try:
        slug, _, guest = (
            signing.TimestampSigner(salt=READER_KEY_SALT).unsign(key, KEY_MAX_AGE_S).partition(".")
        )
    except signing.BadSignature:
        return None
    return ChatReader(slug, int(guest) or None)
