"""The server's identification to push services (VAPID, RFC 8292), with a key made from SECRET_KEY.

After a change of SECRET_KEY, subscriptions of the earlier key work as long as SECRET_KEY_FALLBACKS has it.
"""

import time
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.http import urlsafe_base64_encode

from crowdgame.play.notifications.push_encryption import CURVE, encode_public_key

SALT = "crowdgame.play.notifications.vapid"
TOKEN_LIFETIME_S = 12 * 3600  # push services accept a day
COORDINATE_BYTES = 32


def public_key() -> str:
    """The key for new subscriptions, in base64url."""
    return _make_key(settings.SECRET_KEY)[0]


def is_known(public_key: str) -> bool:
    """Whether the server can send to subscriptions that were made for this key."""
    return public_key in _keys()


def authorize(endpoint: str, public_key: str) -> str:
    """Return the header `Authorization` of a push message. Raises KeyError if the key isn't known."""
    parts = urlsplit(endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int(time.time()) + TOKEN_LIFETIME_S,
        "sub": settings.PUBLIC_URL,
    }
    return f"vapid t={_sign(claims, _keys()[public_key])}, k={public_key}"


def _keys() -> dict[str, ec.EllipticCurvePrivateKey]:
    return dict(map(_make_key, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)))


@lru_cache
def _make_key(secret: str) -> tuple[str, ec.EllipticCurvePrivateKey]:
    """Return the public key in base64url, and the private key."""
    digest = salted_hmac(SALT, "", secret, algorithm="sha512").digest()
    private = ec.derive_private_key(int.from_bytes(digest) % (CURVE.group_order - 1) + 1, CURVE)
    return urlsafe_base64_encode(encode_public_key(private.public_key())), private


def _sign(claims: dict[str, object], key: ec.EllipticCurvePrivateKey) -> str:
    """Return a JSON Web Token with the algorithm ES256."""
    parts = ({"typ": "JWT", "alg": "ES256"}, claims)
    signed = ".".join(urlsafe_base64_encode(msgspec.json.encode(part)) for part in parts)
    numbers = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = b"".join(number.to_bytes(COORDINATE_BYTES) for number in numbers)
    return f"{signed}.{urlsafe_base64_encode(signature)}"
