"""Sheets for play without phones, as PDF: cards, column numbers for the frame, and the use of dice."""

from functools import cache

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crowdgame.events.printing.pdf_document import Box, Paper, PdfDocument
from games.engine.game import SIDES, Side

COLUMNS = 7
MARGIN, HEAD = 12, 26
CARDS_A_ROW, CARD_ROWS = 4, 4
STRIP_HEIGHT, STRIP_GAP = 24, 16


@cache
def print_play_sheets(paper: Paper, _language: str) -> bytes:
    """Return the PDF in the active language."""
    pdf = PdfDocument(_("Cards for play without phones"), paper)
    _draw_cards(pdf)
    _draw_frame_and_dice(pdf)
    return bytes(pdf.output())


def _draw_head(pdf: PdfDocument, title: str, text: str) -> None:
    pdf.add_page()
    width = pdf.w - 2 * MARGIN
    pdf.select_font(18, bold=True)
    pdf.put_line(title, MARGIN, MARGIN + 6, width)
    pdf.select_font(10.5)
    pdf.put_line(text, MARGIN, MARGIN + 14, width)


def _draw_cards(pdf: PdfDocument) -> None:
    """Draw two rows of cards for each side, the last place of the first set with the token."""
    _draw_head(
        pdf, _("Cards"), _("Cut along the lines. Both players hide a card, then show it at the same time.")
    )
    top, width = MARGIN + HEAD - 6, (pdf.w - 2 * MARGIN) / CARDS_A_ROW
    height = (pdf.h - top - MARGIN) / CARD_ROWS
    for number in range(CARDS_A_ROW * CARD_ROWS):
        row, column = divmod(number, CARDS_A_ROW)
        which, place = divmod(number, CARDS_A_ROW * CARD_ROWS // 2)
        left, above = pdf.place(MARGIN + column * width, width), top + row * height
        if place < COLUMNS:
            _draw_card(pdf, SIDES[which], str(place + 1), (left, above, width, height))
        elif which == 0:
            _draw_token(pdf, (left, above, width, height))
    _draw_cuts(pdf, (MARGIN, top, width * CARDS_A_ROW, height * CARD_ROWS), CARDS_A_ROW, CARD_ROWS)


def _draw_card(pdf: PdfDocument, side: Side, number: str, box: Box) -> None:
    left, top, width, height = box
    pdf.select_font(96, bold=True)
    pdf.put_line(number, pdf.place(left, width), top + height * 0.62, width, centered=True)
    pdf.draw_ball(side, left + width / 2, top + height - 10, 5)


def _draw_token(pdf: PdfDocument, box: Box) -> None:
    left, top, width, height = box
    pdf.set_fill_color(217, 179, 108)
    pdf.circle(left + width / 2, top + height / 2 - 6, width * 0.3, style="DF")
    pdf.select_font(12, bold=True)
    pdf.put_line(
        _("Initiative token"), pdf.place(left + 2, width - 4), top + height - 9, width - 4, centered=True
    )


def _draw_frame_and_dice(pdf: PdfDocument) -> None:
    _draw_head(
        pdf,
        _("Column numbers"),
        _("Lay one strip along each side of the frame. If its columns are wider, cut the numbers apart."),
    )
    top = MARGIN + HEAD + 6
    numbers = list(range(1, COLUMNS + 1))
    front, back = pgettext("side of the frame", "Front"), pgettext("side of the frame", "Back")
    for title, strip in ((front, numbers), (back, numbers[::-1])):
        pdf.select_font(12, bold=True)
        pdf.put_line(title, MARGIN, top - 3, pdf.w - 2 * MARGIN)
        _draw_strip(pdf, top, strip)
        top += STRIP_HEIGHT + STRIP_GAP
    _draw_dice(pdf, top + 8)


def _draw_strip(pdf: PdfDocument, top: float, numbers: list[int]) -> None:
    """Draw the numbers from left to right in every language, as they lie along the frame."""
    width = (pdf.w - 2 * MARGIN) / COLUMNS
    pdf.select_font(52, bold=True)
    for place, number in enumerate(numbers):
        left = pdf.place(MARGIN + place * width, width)
        pdf.put_line(str(number), left, top + STRIP_HEIGHT * 0.77, width, centered=True)
    _draw_cuts(pdf, (MARGIN, top, width * COLUMNS, STRIP_HEIGHT), COLUMNS, 1)


def _draw_dice(pdf: PdfDocument, top: float) -> None:
    width = pdf.w - 2 * MARGIN
    pdf.select_font(18, bold=True)
    pdf.put_line(_("Dice in place of cards"), MARGIN, top, width)
    pdf.select_font(12)
    texts = (
        _("Each player turns a die to a column and hides it. Then both show their dice."),
        _("A die with six sides is enough for six columns. For seven, take one with eight: 8 is no column."),
        _("Or use one die, which is also the token: its holder hides a number, the other names a column."),
    )
    for number, text in enumerate(texts):
        pdf.put_block(f"{number + 1}. {text}", (MARGIN, top + 5 + number * 14, width, 12))


def _draw_cuts(pdf: PdfDocument, box: Box, columns: int, rows: int) -> None:
    left, top, width, height = box
    with pdf.local_context(line_width=0.14, draw_color=153, dash_pattern={"dash": 0.7, "gap": 1.06}):
        for column in range(columns + 1):
            x = left + column * width / columns
            pdf.line(x, top, x, top + height)
        for row in range(rows + 1):
            y = top + row * height / rows
            pdf.line(left, y, left + width, y)
