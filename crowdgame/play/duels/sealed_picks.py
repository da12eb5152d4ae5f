"""Encryption of conditional picks at rest, with a key of each match and side made from SECRET_KEY.

A row that was copied to another match or side can't be opened. After a change of SECRET_KEY, rows can be
opened as long as SECRET_KEY_FALLBACKS has the earlier key.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping

import msgspec
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

SALT = "crowdgame.conditional_picks"
PADDED_BYTES = 256  # hides how many picks there are

Picks = Mapping[int, int]


def seal(match_id: int, side: str, picks: Picks) -> str:
    """Encrypt the picks by the opponent's choices. The result always has the same length."""
    plain = msgspec.json.encode(tuple(picks.items())).ljust(PADDED_BYTES)
    return _cipher(match_id, side).encrypt(plain).decode()


def unseal(match_id: int, side: str, sealed: str) -> dict[int, int]:
    """Return the picks; empty if they were sealed with another key."""
    try:
        plain = _cipher(match_id, side).decrypt(sealed)
    except InvalidToken:
        return {}
    return dict(msgspec.json.decode(plain, type=tuple[tuple[int, int], ...]))


def _cipher(match_id: int, side: str) -> MultiFernet:
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    macs = [salted_hmac(SALT, f"{match_id}.{side}", secret, algorithm="sha256") for secret in secrets]
    return MultiFernet([Fernet(urlsafe_b64encode(mac.digest())) for mac in macs])
