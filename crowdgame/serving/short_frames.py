"""Reads short WebSocket frames, the form of almost all messages, without a server's general parser."""

from voting.gateway.send_queue import FINAL_TEXT_FRAME, SHORT_PAYLOAD_LIMIT

MASK_BIT = 0x80
SHORT_HEADER_BYTES = 6


def read_short_text(data: bytes) -> bytes | None:
    """Return the unmasked payload if `data` is exactly one unfragmented text frame below 126 bytes.

    Returns None for all other data. The caller makes sure that `data` begins with a frame.
    """
    size = len(data) - SHORT_HEADER_BYTES
    if not (0 <= size < SHORT_PAYLOAD_LIMIT and data[0] == FINAL_TEXT_FRAME and data[1] == MASK_BIT | size):
        return None
    key = (data[2:SHORT_HEADER_BYTES] * (size // 4 + 1))[:size]
    text = int.from_bytes(data[SHORT_HEADER_BYTES:], "big") ^ int.from_bytes(key, "big")
    return text.to_bytes(size, "big")
