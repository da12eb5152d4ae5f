"""Frames of a phone, as text. A crowd gets each announcement once a phone: it is decoded once for all."""

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec

from voting import protocol

_encode = msgspec.json.Encoder().encode
_decode: Callable[[str], protocol.ToPhone] = msgspec.json.Decoder(protocol.ToPhone).decode
OWN = ('{"type":"ballot.', '{"type":"phone.', '{"type":"clock.')


def phone_address(url: str) -> str:
    """The WebSocket address of phones at a server's http(s) address. Raises ValueError."""
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or (parts.port or 1) < 1:
        raise ValueError(f"{url} is not an http address")
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/ws/phone"


def encode(message: protocol.PhoneMessage) -> str:
    return _encode(message).decode()


def decode(frame: str) -> protocol.ToPhone:
    """Raises msgspec.DecodeError."""
    return _decode(frame) if frame.startswith(OWN) else _decode_shared(frame)


@lru_cache(maxsize=64)
def _decode_shared(frame: str) -> protocol.ToPhone:
    return _decode(frame)
