"""Ticket coupons as PDF: 24 per A4 sheet, in a standard label size (70 by 37 mm)."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from crowdgame.printing.pdf_text import BOLD, PLAIN, draw_ball, draw_qr, draw_text, fit_text, text_width
from games.engine.game import Side

COLUMNS, ROWS = 3, 8
COUPONS_PER_SHEET = COLUMNS * ROWS
WIDTH, HEIGHT = A4[0] / COLUMNS, A4[1] / ROWS
PAD = 5 * mm
QR_SIZE = 25 * mm
CUT_DASH = (2, 3)
LEFT = PAD + QR_SIZE + 3 * mm
TEXT_WIDTH = WIDTH - 0.6 * PAD - LEFT
KEY_SIZE = 14.5
NAME_SIZE = 10


@dataclass(frozen=True, slots=True)
class Coupon:
    """One coupon. `holder` is the pupil's or the event's name, `key` the formatted ticket code.

    `team` is empty if the holder may choose.
    """

    holder: str
    key: str
    url: str
    address: str
    team: str = ""
    side: Side | None = None


def print_coupons(title: str, coupons: Sequence[Coupon]) -> bytes:
    """Return a PDF of all coupons. Raises Unprintable if no font has a character of a name."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1)
    canvas.setTitle(title)
    for first in range(0, len(coupons), COUPONS_PER_SHEET):
        _draw_cuts(canvas)
        for place, coupon in enumerate(coupons[first : first + COUPONS_PER_SHEET]):
            row, column = divmod(place, COLUMNS)
            _draw(canvas, coupon, column * WIDTH, A4[1] - (row + 1) * HEIGHT)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw_cuts(canvas: Any) -> None:
    canvas.setStrokeGray(0.6)
    canvas.setLineWidth(0.4)
    canvas.setDash(*CUT_DASH)
    for column in range(1, COLUMNS):
        canvas.line(column * WIDTH, 0, column * WIDTH, A4[1])
    for row in range(1, ROWS):
        canvas.line(0, row * HEIGHT, A4[0], row * HEIGHT)
    canvas.setDash()


def _draw(canvas: Any, coupon: Coupon, x: float, y: float) -> None:
    draw_qr(canvas, (x + PAD, y + (HEIGHT - QR_SIZE) / 2), QR_SIZE, coupon.url)
    left, top = x + LEFT, y + HEIGHT
    canvas.setFillGray(0)
    for line, words in enumerate(split_name(coupon.holder)):
        _line(canvas, (left, top - (9 + 4 * line) * mm), words, (BOLD, NAME_SIZE), TEXT_WIDTH)
    if coupon.side:
        draw_ball(canvas, coupon.side, (left + 1.7 * mm, top - 16.6 * mm), 1.7 * mm)
        canvas.setFillGray(0)
        _line(canvas, (left + 4.6 * mm, top - 17.6 * mm), coupon.team, (PLAIN, 8.5), TEXT_WIDTH - 4.6 * mm)
    _line(canvas, (left, top - 22.5 * mm), coupon.address, (PLAIN, 8), TEXT_WIDTH)
    _line(canvas, (left, top - 29.5 * mm), coupon.key, (BOLD, KEY_SIZE), TEXT_WIDTH)


def split_name(name: str) -> tuple[str, ...]:
    """Split a name that is too wide for one line into two of similar width, between words."""
    words = name.split(" ")
    if len(words) == 1 or text_width(name, BOLD, NAME_SIZE) <= TEXT_WIDTH:
        return (name,)
    ways = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    return min(ways, key=lambda lines: max(text_width(line, BOLD, NAME_SIZE) for line in lines))


def _line(canvas: Any, at: tuple[float, float], text: str, kind: tuple[str, float], room: float) -> None:
    font, size = kind
    shown, fitted = fit_text(text, font, size, room)
    draw_text(canvas, at, shown, font, fitted)
