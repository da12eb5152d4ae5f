"""QR code posters as PDF: one A4 page per event; if each team has its own link, one for both and one each."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _

from crowdgame.events.printing.pdf_document import NO_COLORS, PdfDocument, Rgb, can_print
from crowdgame.events.printing.poster_board import board_width, draw_board
from games.engine.game import SIDES, Side

MARGIN = 16
QR_TOP, QR_SIZE = 66, 104
QUIET_ZONE = 16  # wide enough for a QR code of 29 modules
BOARD_TOP, BOARD_HEIGHT = 201, 80
BRAND_WIDTH, LOGO_HEIGHT = 36, 11
PAIR_TOP, PAIR_SIDE = 82, 80  # of the QR codes of both teams


@dataclass(frozen=True, slots=True)
class Poster:
    """The content of one page.

    `url` is encoded in the QR code, `address` is the same to type, `hint` says what else people need.
    `side` is the team of a team link, or None. `board`: the event plays four in a row. `logo` is a picture.
    """

    event: str
    code: str
    teams: tuple[str, str]
    url: str
    address: str
    hint: str
    side: Side | None = None
    board: bool = True
    logo: bytes | None = None
    brand_line: str = ""


def print_posters(posters: list[Poster], colors: Mapping[Side, Rgb] = NO_COLORS) -> bytes:
    """Return a PDF with one page per poster, in the active language, after one with the codes of both teams.

    Replaces or leaves out names that the fonts can't print.
    """
    pdf = PdfDocument(_("Poster %(code)s") % {"code": posters[0].code}, colors=colors)
    if posters[0].side:
        pdf.add_page()
        _draw_both(pdf, posters)
    for poster in posters:
        pdf.add_page()
        _draw(pdf, poster)
    return bytes(pdf.output())


def _draw(pdf: PdfDocument, poster: Poster) -> None:
    if poster.side:
        _draw_team(pdf, poster, poster.side)
    else:
        _draw_event(pdf, poster, height=34)
    pdf.draw_qr(pdf.place(MARGIN, QR_SIZE), QR_TOP, QR_SIZE, poster.url)
    _draw_invitation(pdf, poster)
    pdf.select_font(32, bold=True)
    _center(pdf, QR_TOP + QR_SIZE + 21, poster.address)
    _draw_match(pdf, poster)
    _draw_foot(pdf, poster)


def _draw_both(pdf: PdfDocument, posters: list[Poster]) -> None:
    """Draw each team's ball, name and code, side by side and never mirrored."""
    first = posters[0]
    _draw_event(pdf, first, height=22)
    pdf.select_font(26, bold=True)
    _center(pdf, 50, _("Scan the code of your team"))
    for poster, side, left in zip(posters, SIDES, (MARGIN, pdf.w - MARGIN - PAIR_SIDE), strict=True):
        ball, name = (left + PAIR_SIDE - 9, left) if pdf.is_rtl else (left + 9, left + 22)
        pdf.draw_ball(side, ball, PAIR_TOP - 15, 9)
        pdf.select_font(24, bold=True)
        width = PAIR_SIDE - 22
        pdf.put_block(_team_name(poster, side), (pdf.place(name, width), PAIR_TOP - 25, width, 20))
        pdf.draw_qr(left, PAIR_TOP, PAIR_SIDE, poster.url)
        pdf.select_font(17, bold=True)
        box = pdf.place(left, PAIR_SIDE)
        pdf.put_line(poster.address, box, PAIR_TOP + PAIR_SIDE + 14, PAIR_SIDE, centered=True)
    if first.board:
        draw_board(pdf, (pdf.w - board_width(BOARD_HEIGHT)) / 2, BOARD_TOP, BOARD_HEIGHT)
    _draw_foot(pdf, first)


def _draw_event(pdf: PdfDocument, poster: Poster, height: float) -> None:
    if can_print(poster.event):
        pdf.select_font(46, bold=True)
        pdf.put_block(poster.event, (MARGIN, 14, pdf.w - 2 * MARGIN, height), centered=True)


def _draw_foot(pdf: PdfDocument, poster: Poster) -> None:
    """Draw the logo, a note and the sponsor line beside each other."""
    left, note = MARGIN / 2, float(MARGIN)
    pdf.set_text_color(64)
    pdf.select_font(12)
    if poster.logo:
        x, y = pdf.place(left, BRAND_WIDTH), pdf.h - LOGO_HEIGHT - 4
        pdf.image(BytesIO(poster.logo), x, y, BRAND_WIDTH, LOGO_HEIGHT, keep_aspect_ratio=True)
    if poster.logo or poster.brand_line:
        note = left + BRAND_WIDTH + 2
        line = poster.brand_line if can_print(poster.brand_line) else ""
        pdf.put_line(line, pdf.w - left - BRAND_WIDTH, pdf.h - 8, BRAND_WIDTH, centered=True)
    text = _("No app, no account: all you need is a phone with a camera.")
    pdf.put_line(text, note, pdf.h - 8, pdf.w - 2 * note, centered=True)
    pdf.set_text_color(0)


def _draw_invitation(pdf: PdfDocument, poster: Poster) -> None:
    """Draw what to do beside the QR code."""
    left = MARGIN + QR_SIZE + QUIET_ZONE
    width = pdf.w - left - MARGIN / 2
    pdf.select_font(34, bold=True)
    pdf.put_block(_("Scan to vote"), (left, QR_TOP, width, 44))
    pdf.select_font(15)
    pdf.put_line(_("Code"), left, QR_TOP + 64, width)
    pdf.select_font(44, bold=True)
    pdf.put_block(poster.code, (left, QR_TOP + 66, width, 20))
    if poster.hint:
        pdf.select_font(15)
        pdf.put_block(poster.hint, (left, QR_TOP + 88, width, 16))


def _draw_team(pdf: PdfDocument, poster: Poster, side: Side) -> None:
    """Draw the team's ball and name. The shape identifies the team without color."""
    left = MARGIN + 50
    width = pdf.w - left - MARGIN
    pdf.draw_ball(side, pdf.place(MARGIN + 20), 33, 20)
    pdf.select_font(20)
    # Translators: above the name of a team on its poster
    pdf.put_line(_("Play for"), left, 20, width)
    pdf.select_font(46, bold=True)
    pdf.put_block(_team_name(poster, side), (left, 22, width, 24))
    if can_print(poster.event):
        pdf.select_font(15)
        pdf.put_block(poster.event, (left, 46, width, 11))


def _draw_match(pdf: PdfDocument, poster: Poster) -> None:
    """Draw the teams, and between them the board. They are never mirrored."""
    board = board_width(BOARD_HEIGHT) if poster.board else 0
    if poster.board:
        draw_board(pdf, (pdf.w - board) / 2, BOARD_TOP, BOARD_HEIGHT)
    width = (pdf.w - board - MARGIN) / 2 - 7
    pdf.select_font(20, bold=True)
    for side, left in zip(SIDES, (MARGIN / 2, pdf.w - MARGIN / 2 - width), strict=True):
        pdf.draw_ball(side, left + width / 2, BOARD_TOP + 37, 9)
        box = pdf.place(left, width)
        pdf.put_block(_team_name(poster, side), (box, BOARD_TOP + 48, width, 28), centered=True)


def _team_name(poster: Poster, side: Side) -> str:
    number = SIDES.index(side)
    name = poster.teams[number]
    return name if can_print(name) else _("Team %(number)d") % {"number": number + 1}


def _center(pdf: PdfDocument, baseline: float, text: str) -> None:
    pdf.put_line(text, MARGIN, baseline, pdf.w - 2 * MARGIN, centered=True)
