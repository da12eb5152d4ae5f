"""Prebuilt WebSocket frames: a message to many sockets is encoded once."""

from collections.abc import Callable
from dataclasses import dataclass

FINAL_TEXT_FRAME = 0x81
SHORT_PAYLOAD_LIMIT = 126
LARGE_PAYLOAD_LIMIT = 1 << 16

# The ASGI extension by which a server offers a `WriteFrames`.
WRITE_FRAMES = "crowdgame.write_frames"
# Writes frames to the transport at once. Returns False and writes nothing if the socket is closing or its
# client reads too slowly.
WriteFrames = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """One or more text messages in order. `wire` holds their unmasked text frames (RFC 6455)."""

    texts: tuple[str, ...]
    wire: bytes

    def __add__(self, later: "Frames") -> "Frames":
        return Frames(self.texts + later.texts, self.wire + later.wire)


def text_frame(text: str) -> Frames:
    return Frames((text,), encode_text_frame(text))


def encode_text_frame(text: str) -> bytes:
    payload = text.encode()
    size = len(payload)
    if size < SHORT_PAYLOAD_LIMIT:
        return bytes((FINAL_TEXT_FRAME, size)) + payload
    if size < LARGE_PAYLOAD_LIMIT:
        return bytes((FINAL_TEXT_FRAME, SHORT_PAYLOAD_LIMIT)) + size.to_bytes(2, "big") + payload
    return bytes((FINAL_TEXT_FRAME, SHORT_PAYLOAD_LIMIT + 1)) + size.to_bytes(8, "big") + payload
