"""Message encryption for Web Push (RFC 8291), in one record of the content coding aes128gcm (RFC 8188)."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()
RECORD_SIZE = 4096
AUTH_SECRET_BYTES, SALT_BYTES, KEY_BYTES, NONCE_BYTES = 16, 16, 16, 12
LAST_RECORD = b"\x02"


def read_public_key(point: bytes) -> ec.EllipticCurvePublicKey:
    """Raises ValueError if these bytes are no point of the curve."""
    return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)


def encode_public_key(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(
    plain: bytes, receiver: bytes, auth_secret: bytes, sender: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """Return the body of a push message for a subscription with this public key and secret.

    `sender` and `salt` must be new for each message. The plain text has to fit into one record.
    """
    own = encode_public_key(sender.public_key())
    shared = sender.exchange(ec.ECDH(), read_public_key(receiver))
    secret = _derive(shared, auth_secret, b"WebPush: info\0" + receiver + own, SHA256.digest_size)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", KEY_BYTES)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", NONCE_BYTES)
    header = salt + RECORD_SIZE.to_bytes(4) + len(own).to_bytes(1) + own
    return header + AESGCM(key).encrypt(nonce, plain + LAST_RECORD, None)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)
