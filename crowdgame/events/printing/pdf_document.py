"""Documents as PDF: text in the languages of the product, QR codes and balls."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from itertools import accumulate, combinations, pairwise
from pathlib import Path
from typing import Any, Literal

from django.utils.translation import get_language, get_language_bidi
from fpdf import FPDF, Align

from games.engine.game import Side
from voting.admission.links import qr_lines

FONTS = Path(__file__).with_name("fonts")
FAMILY = "Noto Sans"
FONT_FILES = {  # by family and style; text in the first family, other characters in the first that has them
    FAMILY: {"": "NotoSans-Regular.ttf", "B": "NotoSans-Bold.ttf"},
    "Noto Sans Arabic": {"": "NotoSansArabic-Regular.ttf", "B": "NotoSansArabic-Bold.ttf"},
    "Noto Sans SC": {"": "NotoSansSC-Medium.ttf"},
    "Noto Sans KR": {"": "NotoSansKR-Medium.ttf"},
    "Noto Emoji": {"": "NotoEmoji-Regular.ttf"},
}
Rgb = tuple[int, int, int]
COLORS: dict[Side, Rgb] = {"red": (232, 51, 74), "yellow": (255, 210, 63)}
NO_COLORS: Mapping[Side, Rgb] = {}
MIN_SCALE = 0.45
MAX_LINES = (1, 2, 3)
LINE_HEIGHT, ASCENT = 1.2, 0.93  # of the font size
OVERLAP = 1.02  # of the rows of a QR code: no seams on screens
ROUNDING_MM = 0.005
JOINED = {"AL", "R"}  # bidirectional classes of scripts whose words are not broken

Paper = Literal["A4", "Letter"]
Box = tuple[float, float, float, float]  # left, top, width, height


class Unprintable(Exception):
    """No font has the character that is its argument."""


def _add_family(pdf: FPDF, family: str) -> None:
    for style, file in FONT_FILES[family].items():
        pdf.add_font(family, style, FONTS / file)


@cache
def _characters(family: str) -> frozenset[str]:
    pdf = FPDF()
    _add_family(pdf, family)
    return frozenset(chr(point) for font in pdf.fonts.values() for point in getattr(font, "cmap", ()))


def _needed_families(text: str) -> tuple[list[str], set[str]]:
    """Return the families that a text needs, and the characters that none has."""
    families, missing = list[str](), set(text)
    for family in FONT_FILES:
        if missing and not missing.isdisjoint(characters := _characters(family)):
            families.append(family)
            missing -= characters
    return families, missing


def can_print(text: str) -> bool:
    """Whether the fonts have all characters of a text."""
    return not _needed_families(text)[1]


class PdfDocument(FPDF):
    """A document in the active language, in millimetres from the upper left corner.

    `colors` are those of sides whose teams have their own.
    """

    def __init__(self, title: str, paper: Paper = "A4", colors: Mapping[Side, Rgb] = NO_COLORS) -> None:
        super().__init__(format=paper)
        self.colors = {**COLORS, **colors}
        self.set_title(title)
        self.set_lang(get_language())
        self.set_auto_page_break(False)
        self.c_margin = 0
        self.families = {FAMILY}
        _add_family(self, FAMILY)
        self.is_rtl = get_language_bidi()
        self.set_text_shaping()

    def place(self, left: float, width: float = 0) -> float:
        """Return where a box starts: at `left`, or mirrored in a right-to-left language."""
        return self.w - left - width if self.is_rtl else left

    def select_font(self, size: float, *, bold: bool = False) -> None:
        """Use this font, with a size in points, for the next lines."""
        self.set_font(FAMILY, "B" if bold else "", size)

    def get_string_width(self, s: str, *args: Any, **options: Any) -> float:
        """Add the fonts that the text needs, since loading all takes longer than most documents."""
        if added := set(_needed_families(s)[0]) - self.families:
            for family in added:
                _add_family(self, family)
            self.families |= added
            fallbacks = [family for family in FONT_FILES if family in self.families - {FAMILY}]
            self.set_fallback_fonts(fallbacks, exact_match=False)
        return super().get_string_width(s, *args, **options)

    def put_line(
        self, text: str, left: float, baseline: float, width: float, *, centered: bool = False
    ) -> None:
        """Draw text fitted into a mirrored box. Raises Unprintable."""
        if missing := _needed_families(text)[1]:
            raise Unprintable(min(missing))
        size = self.font_size_pt
        shown, fitted = self.fit_text(text, width)
        self.set_font_size(fitted)
        self.set_xy(self.place(left, width), baseline - 0.8 * self.font_size)  # as `cell` places it
        side = Align.R if self.is_rtl else Align.L
        self.cell(width, text=shown, align=Align.C if centered else side)
        self.set_font_size(size)

    def fit_text(self, text: str, width: float) -> tuple[str, float]:
        """Return text and font size that fit into `width`.

        Reduces the size to MIN_SCALE at least, then cuts the text with an ellipsis.
        """
        needed = self.get_string_width(text)
        if needed <= width:
            return text, self.font_size_pt
        scale = max(width / needed, MIN_SCALE)
        shown = text
        while self.get_string_width(shown) * scale > width + ROUNDING_MM and len(shown) > 1:
            shown = shown.removesuffix("…")[:-1].rstrip() + "…"
        return shown, self.font_size_pt * scale

    def put_block(self, text: str, box: Box, *, centered: bool = False) -> None:
        """Draw text in the middle of a mirrored box, on the lines that allow the largest size.

        The size is the selected one at most. Breaks words only if they need less than MIN_SCALE of it.
        Raises Unprintable.
        """
        left, top, width, height = box
        size = self.font_size_pt

        def fitting(lines: tuple[str, ...]) -> float:
            widest = max(map(self.get_string_width, lines)) or width
            return min(1, width / widest, height / (LINE_HEIGHT * self.font_size * len(lines)))

        lines = max((split_text(self, text, count) for count in MAX_LINES), key=fitting)
        if fitting(lines) < MIN_SCALE:
            broken = (split_text(self, text, count, in_words=True) for count in MAX_LINES)
            lines = max(broken, key=fitting)
        self.set_font_size(size * fitting(lines))
        step = LINE_HEIGHT * self.font_size
        first = top + (height - step * len(lines)) / 2 + ASCENT * self.font_size
        for number, line in enumerate(lines):
            self.put_line(line, left, first + number * step, width, centered=centered)
        self.set_font_size(size)

    def draw_qr(self, left: float, top: float, side: float, url: str) -> None:
        """Draw a QR code. The caller leaves the quiet zone around it free."""
        modules, lines = qr_lines(url)
        module = side / modules
        self.set_fill_color(0)
        for x, y, length in lines:
            self.rect(left + x * module, top + y * module, length * module, module * OVERLAP, style="F")

    def draw_ball(self, side: Side, x: float, y: float, radius: float) -> None:
        """Draw a ball around a point."""
        self.set_fill_color(*self.colors[side])
        with self.local_context(line_width=radius * 0.04):
            self.circle(x, y, radius, style="DF")
        if side == "red":
            with self.local_context(line_width=radius * 0.19, draw_color=255):
                self.circle(x, y, radius * 0.41)
            return
        corners = ((0, -0.5), (0.466, 0.307), (-0.466, 0.307))
        with self.local_context(line_width=radius * 0.19, stroke_join_style="round"):
            self.polygon([(x + dx * radius, y + dy * radius) for dx, dy in corners])


def split_text(pdf: FPDF, text: str, count: int, *, in_words: bool = False) -> tuple[str, ...]:
    """Split text into up to `count` lines of similar width, after words, hyphens or wide characters."""
    places = [place for place in range(1, len(text)) if _may_break(text, place)]
    if in_words and not any(unicodedata.bidirectional(char) in JOINED for char in text):
        places = sorted({*places, *range(2, len(text) - 1)})
    parts = [text[a:b] for a, b in pairwise((0, *places, len(text)))]
    ends = list(accumulate(map(pdf.get_string_width, parts), initial=0))
    ways = combinations(range(1, len(parts)), min(count, len(parts)) - 1)
    ranges = min(
        (tuple(pairwise((0, *way, len(parts)))) for way in ways),
        key=lambda lines: max(ends[b] - ends[a] for a, b in lines),
    )
    return tuple("".join(parts[a:b]).strip() for a, b in ranges)


def _may_break(text: str, place: int) -> bool:
    before, after = text[place - 1], text[place]
    return before in " -" or all(
        unicodedata.east_asian_width(char) == "W" and unicodedata.category(char) != "Sk"
        for char in (before, after)
    )
