"""Pictures as files, harmless and hostile."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

PLUM = (142, 69, 133)


def picture(
    kind: str = "PNG",
    size: tuple[int, int] = (80, 40),
    mode: str = "RGB",
    color: tuple[int, int, int] = PLUM,
    **options: Any,
) -> bytes:
    file = BytesIO()
    Image.new(mode, size, (*color, 255)[: len(mode)]).save(file, kind, **options)
    return file.getvalue()


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (8, 8), color) for color in ("red", "blue")]
    file = BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:], duration=100)
    return file.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG whose header announces this size, with hardly any data."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 1000)), (b"IEND", b""))
    parts = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
