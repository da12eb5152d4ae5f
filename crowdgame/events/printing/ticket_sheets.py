"""Ticket coupons as PDF: 24 per A4 sheet, in a standard label size (70 by 37 mm)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crowdgame.events.printing.pdf_document import NO_COLORS, PdfDocument, Rgb
from games.engine.game import Side

COLUMNS, ROWS = 3, 8
COUPONS_PER_SHEET = COLUMNS * ROWS
WIDTH, HEIGHT = 70, 297 / ROWS
PAD = 5
QR_SIZE = 25
LEFT = PAD + QR_SIZE + 3
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


def print_coupons(title: str, coupons: Sequence[Coupon], colors: Mapping[Side, Rgb] = NO_COLORS) -> bytes:
    """Return a PDF of all coupons in the active language. Raises Unprintable."""
    pdf = PdfDocument(title, colors=colors)
    for number, coupon in enumerate(coupons):
        place = number % COUPONS_PER_SHEET
        if place == 0:
            pdf.add_page()
            _draw_cuts(pdf)
        row, column = divmod(place, COLUMNS)
        _draw(pdf, coupon, column * WIDTH, row * HEIGHT)
    return bytes(pdf.output())


def _draw_cuts(pdf: PdfDocument) -> None:
    with pdf.local_context(line_width=0.14, draw_color=153, dash_pattern={"dash": 0.7, "gap": 1.06}):
        for column in range(1, COLUMNS):
            pdf.line(column * WIDTH, 0, column * WIDTH, pdf.h)
        for row in range(1, ROWS):
            pdf.line(0, row * HEIGHT, pdf.w, row * HEIGHT)


def _draw(pdf: PdfDocument, coupon: Coupon, x: float, top: float) -> None:
    pdf.draw_qr(pdf.place(x + PAD, QR_SIZE), top + (HEIGHT - QR_SIZE) / 2, QR_SIZE, coupon.url)
    left = x + LEFT
    pdf.select_font(NAME_SIZE, bold=True)
    pdf.put_block(coupon.holder, (left, top + 5, TEXT_WIDTH, 9))
    if coupon.side:
        pdf.draw_ball(coupon.side, pdf.place(left + 1.7), top + 16.6, 1.7)
        pdf.select_font(8.5)
        pdf.put_block(coupon.team, (left + 4.6, top + 13.8, TEXT_WIDTH - 4.6, 5.6))
    pdf.select_font(8)
    pdf.put_line(coupon.address, left, top + 22.5, TEXT_WIDTH)
    pdf.select_font(KEY_SIZE, bold=True)
    pdf.put_line(coupon.key, left, top + 29.5, TEXT_WIDTH)
