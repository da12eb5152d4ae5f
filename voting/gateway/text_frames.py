"""WebSocket text frames (RFC 6455) without a server's general code.

Messages to many sockets are encoded once. `read_short_text` suffices for almost all messages from phones.
"""

import msgspec

FINAL, TEXT = 0x80, 1
FINAL_TEXT_FRAME, MASK_BIT = FINAL | TEXT, 0x80
SHORT_HEADER_BYTES = 6
SHORT_PAYLOAD_LIMIT = 126
LARGE_PAYLOAD_LIMIT = 1 << 16

_encode = msgspec.json.Encoder().encode


def encode(message: msgspec.Struct) -> bytes:
    """Encode a message of the protocol as a frame."""
    return text_frame(_encode(message))


def text_frame(payload: bytes) -> bytes:
    return encode_frame(TEXT, payload)


def encode_frame(kind: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < SHORT_PAYLOAD_LIMIT:
        return bytes((FINAL | kind, size)) + payload
    if size < LARGE_PAYLOAD_LIMIT:
        return bytes((FINAL | kind, SHORT_PAYLOAD_LIMIT)) + size.to_bytes(2, "big") + payload
    return bytes((FINAL | kind, SHORT_PAYLOAD_LIMIT + 1)) + size.to_bytes(8, "big") + payload


def read_short_text(data: bytes) -> bytes | None:
    """Return the unmasked payload if `data` is exactly one unfragmented text frame below 126 bytes.

    Returns None for all other data. The caller makes sure that `data` begins with a frame.
    """
    size = len(data) - SHORT_HEADER_BYTES
    if not (0 <= size < SHORT_PAYLOAD_LIMIT and data[0] == FINAL_TEXT_FRAME and data[1] == MASK_BIT | size):
        return None
    return unmask(data[SHORT_HEADER_BYTES:], data[2:SHORT_HEADER_BYTES])


def unmask(payload: bytes, mask: bytes) -> bytes:
    size = len(payload)
    key = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
