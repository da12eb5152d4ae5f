"""Encode and decode the frames of simulated phones.

A broadcast frame is decoded once and shared by all phones.
"""

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import asdict

from voting import protocol
from voting.counting.types import Count

FRAMES_KEPT = 256
STATES_KEPT = 16
LONG_FRAME = 512
WELCOME = b'{"type":"phone.welcomed"'
CLOCK = b'{"type":"clock.'


class _Welcome(msgspec.Struct, frozen=True, tag="phone.welcomed"):
    """A welcome with its state still encoded: phones that join at the same moment receive the same state."""

    now_at: protocol.Time
    seq: Count
    you: protocol.You
    state: msgspec.Raw


Decode = Callable[[bytes], protocol.ToPhone]

encode = msgspec.json.Encoder().encode
_decode: Decode = msgspec.json.Decoder(protocol.ToPhone).decode
_decode_welcome = msgspec.json.Decoder(_Welcome).decode
_decode_state = msgspec.json.Decoder(protocol.EventState).decode


def phone_address(url: str) -> str:
    """Return the phones' WebSocket URL of a server's http(s) URL. Raises ValueError."""
    parts = urlsplit(url)
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme)
    if scheme is None or not parts.hostname or (parts.port or 1) < 1:
        raise ValueError(f"{url} is not an http address")
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/ws/phone"


class _Latest:
    """The latest long frame. Comparing a broadcast with it is cheaper than hashing all its copies."""

    frame: bytes | None = None
    message: protocol.ToPhone


def decode(frame: bytes) -> protocol.ToPhone:
    """Decode a frame. Raises msgspec.DecodeError."""
    if frame == _Latest.frame:
        return _Latest.message
    if frame.startswith(WELCOME):
        welcome = _decode_welcome(frame)
        return protocol.PhoneWelcomed(**asdict(welcome) | {"state": _state(bytes(welcome.state))})
    if frame.startswith(CLOCK):
        return _decode(frame)
    return _shared(frame) if len(frame) < LONG_FRAME else _shared_long(frame)


@lru_cache(maxsize=FRAMES_KEPT)
def _shared(frame: bytes) -> protocol.ToPhone:
    return _decode(frame)


def _shared_long(frame: bytes) -> protocol.ToPhone:
    message = _decode(frame)
    _Latest.frame, _Latest.message = frame, message
    return message


@lru_cache(maxsize=STATES_KEPT)
def _state(text: bytes) -> protocol.EventState:
    return _decode_state(text)
