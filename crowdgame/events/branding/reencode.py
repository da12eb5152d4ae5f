"""Standalone program: writes the picture on stdin to stdout as WebP, smaller and without metadata.

The only argument is the format. The exit status is one of REFUSALS, or 1 if the picture can't be decoded. A
decoder runs in a process of its own, because it delays all threads and reads what strangers made.
"""

import sys
from io import BytesIO

from PIL import Image, ImageOps, ImageStat

REFUSALS = TOO_MANY_PIXELS, ANIMATED, HAS_OTHER_DATA = 3, 4, 5
MAX_SIDE = 4096
SIZE = 1316, 438  # at most, and 1536 by 512 with a plate
OPAQUE, BRIGHT = 255, 150
DARK, LIGHT = "#0b1020", "#ffffff"


def main(name: str, content: bytes) -> int:
    with Image.open(BytesIO(content), formats=(name,)) as picture:  # reads the header only
        if max(picture.size) > MAX_SIDE:
            return TOO_MANY_PIXELS
        if getattr(picture, "is_animated", False):
            return ANIMATED
        if not _ends_with_picture(name, content):
            return HAS_OTHER_DATA
        upright = ImageOps.exif_transpose(picture).convert("RGBA")
    upright.thumbnail(SIZE)
    _on_plate(upright).save(sys.stdout.buffer, "WEBP", quality=90)
    return 0


def _on_plate(picture: Image.Image) -> Image.Image:
    """Return a new picture, without metadata. What is transparent gets a light or dark plate."""
    opacity = picture.getchannel("A")
    brightness = ImageStat.Stat(picture.convert("L"), mask=opacity).mean[0]
    pad = 0 if opacity.getextrema()[0] == OPAQUE else max(4, picture.height // 12)
    size = picture.width + 2 * pad, picture.height + 2 * pad
    plate = Image.new("RGB", size, DARK if brightness > BRIGHT else LIGHT)
    plate.paste(picture, (pad, pad), mask=opacity)
    return plate


def _ends_with_picture(name: str, content: bytes) -> bool:
    """Whether nothing follows the picture, such as a page or an archive."""
    if name == "WEBP":
        return int.from_bytes(content[4:8], "little") + 8 == len(content)
    return content.endswith(b"IEND\xaeB`\x82" if name == "PNG" else b"\xff\xd9")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.stdin.buffer.read()))
