"""Text, QR codes and balls in PDF. Fonts are embedded, except for Chinese, Japanese and Korean (CID fonts).

PDF readers bring their own fonts for those. Scripts that need shaping aren't supported (Unprintable).
"""

from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import groupby
from typing import Any

import pymupdf_fonts
from reportlab.lib.units import mm
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont

from games.engine.game import Side
from voting.admission.links import qr_lines

PLAIN, BOLD = "Noto Sans", "Noto Sans Bold"
EMBEDDED_FONTS = {PLAIN: "notos", BOLD: "notosbo"}
HAN, HANGUL = "STSong-Light", "HYGothic-Medium"
CID_FONTS = {HAN: "gbk", HANGUL: "cp949"}
COLORS = {"red": (0.91, 0.2, 0.29), "yellow": (1, 0.824, 0.247)}
MIN_SCALE = 0.45
SEAM_MM = 0.02
ROUNDING_PT = 0.01  # points


class Unprintable(Exception):
    """A text has a character that no font has. The message can be shown to the organizer."""


@cache
def _font_glyphs() -> dict[str, frozenset[int]]:
    """Register all fonts and return the code points of the embedded ones. Takes half a second, once."""
    case = {}
    for name, source in EMBEDDED_FONTS.items():
        font = TTFont(name, BytesIO(pymupdf_fonts.myfont(source)))
        registerFont(font)
        case[name] = frozenset(font.face.charToGlyph)
    for name in CID_FONTS:
        registerFont(UnicodeCIDFont(name))
    return case


def _font_for(char: str, wanted: str) -> str:
    if ord(char) in _font_glyphs()[wanted]:
        return wanted
    for name, encoding in CID_FONTS.items():
        try:
            char.encode(encoding)
        except UnicodeEncodeError:
            continue
        return name
    raise Unprintable(f"no font has the character “{char}”")


def _font_runs(text: str, wanted: str) -> Iterator[tuple[str, str]]:
    """Split text into runs of one font. Yields (font name, text). Raises Unprintable."""
    for name, chars in groupby(text, lambda char: _font_for(char, wanted)):
        yield name, "".join(chars)


def can_print(text: str) -> bool:
    """Whether the fonts have all characters of a text."""
    try:
        list(_font_runs(text, BOLD))
    except Unprintable:
        return False
    return True


def text_width(text: str, font: str, size: float) -> float:
    """Return the width of a text in points. Raises Unprintable."""
    return sum(float(stringWidth(piece, name, size)) for name, piece in _font_runs(text, font))


def draw_text(canvas: Any, at: tuple[float, float], text: str, font: str, size: float) -> None:
    """Draw text whose baseline starts at `at`, in points. Raises Unprintable."""
    x, y = at
    for name, piece in _font_runs(text, font):
        canvas.setFont(name, size)
        canvas.drawString(x, y, piece)
        x += stringWidth(piece, name, size)


def fit_text(text: str, font: str, size: float, width: float) -> tuple[str, float]:
    """Return text and font size that fit into `width` points.

    Reduces the size to MIN_SCALE at least, then cuts the text with an ellipsis. Raises Unprintable.
    """
    needed = text_width(text, font, size)
    if needed <= width:
        return text, size
    smaller = max(size * width / needed, size * MIN_SCALE)
    shown = text
    while text_width(shown, font, smaller) > width + ROUNDING_PT and len(shown) > 1:
        shown = shown.removesuffix("…")[:-1].rstrip() + "…"
    return shown, smaller


def draw_qr(canvas: Any, corner: tuple[float, float], side: float, url: str) -> None:
    """Draw a QR code. `corner` is its lower left corner, `side` its size in points.

    The caller leaves the quiet zone around it free.
    """
    modules, lines = qr_lines(url)
    module = side / modules
    path = canvas.beginPath()
    for x, y, length in lines:
        bottom = corner[1] + side - (y + 1) * module
        path.rect(corner[0] + x * module, bottom, length * module, module + SEAM_MM * mm)
    canvas.setFillGray(0)
    canvas.drawPath(path, stroke=0, fill=1)


def draw_ball(canvas: Any, side: Side, centre: tuple[float, float], radius: float) -> None:
    x, y = centre
    canvas.setFillColorRGB(*COLORS[side])
    canvas.setStrokeGray(0)
    canvas.setLineWidth(radius * 0.04)
    canvas.circle(x, y, radius, stroke=1, fill=1)
    canvas.setLineWidth(radius * 0.19)
    if side == "red":
        canvas.setStrokeGray(1)
        canvas.circle(x, y, radius * 0.41, stroke=1, fill=0)
        return
    path = canvas.beginPath()
    path.moveTo(x, y + radius * 0.5)
    path.lineTo(x + radius * 0.466, y - radius * 0.307)
    path.lineTo(x - radius * 0.466, y - radius * 0.307)
    path.close()
    canvas.setLineJoin(1)
    canvas.drawPath(path, stroke=1, fill=0)
