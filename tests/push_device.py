"""A browser's side of Web Push: the keys of a subscription, with which it decrypts messages."""

import json
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

CURVE = ec.SECP256R1()


@dataclass(frozen=True)
class PushDevice:
    endpoint: str
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    secret: bytes = field(default_factory=lambda: token_bytes(16))

    @property
    def public(self) -> bytes:
        return self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def subscription(self, application_key: str) -> dict[str, str]:
        """The fields of the form, as the page sends them."""
        return {
            "endpoint": self.endpoint,
            "p256dh": urlsafe_base64_encode(self.public),
            "auth": urlsafe_base64_encode(self.secret),
            "application_key": application_key,
        }

    def decrypt(self, body: bytes) -> dict[str, Any]:
        salt, sender, sealed = body[:16], body[21:86], body[86:]
        assert (body[16:21], len(body) <= 4096) == (b"\0\0\x10\0\x41", True)
        shared = self.private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        info = b"WebPush: info\0" + self.public + sender
        secret = HKDF(SHA256(), 32, self.secret, info).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain.endswith(b"\x02")
        read: dict[str, Any] = json.loads(plain[:-1])
        return read


def read_claims(authorization: str, audience: str, application_key: str) -> dict[str, Any]:
    """Check the header's signature (VAPID) with the key for which the subscription was made."""
    token, _, key = authorization.removeprefix("vapid t=").partition(", k=")
    assert key == application_key
    public = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, urlsafe_base64_decode(key))
    read: dict[str, Any] = jwt.decode(token, public, ["ES256"], audience=audience)
    return read
