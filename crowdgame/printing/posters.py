"""QR code posters as PDF: one A4 page per event, or one per team if each team has its own link."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from crowdgame.printing.pdf_document import COLORS, PdfDocument, can_print
from games.engine.game import SIDES, Side

MARGIN = 16
QR_SIZE = 146
QUIET_ZONE = 14


@dataclass(frozen=True, slots=True)
class Poster:
    """The content of one page.

    `url` is encoded in the QR code, `address` is the same to type, `hint` says what else people need.
    `side` is the team of a team link, or None.
    """

    event: str
    code: str
    teams: tuple[str, str]
    url: str
    address: str
    hint: str
    side: Side | None = None


def print_posters(posters: list[Poster]) -> bytes:
    """Return a PDF with one page per poster, in the active language.

    Replaces or leaves out names that the fonts can't print.
    """
    pdf = PdfDocument(_("Poster %(code)s") % {"code": posters[0].code})
    for poster in posters:
        pdf.add_page()
        _draw(pdf, poster)
    return bytes(pdf.output())


def _draw(pdf: PdfDocument, poster: Poster) -> None:
    top = _draw_team(pdf, poster, poster.side) if poster.side else _draw_event(pdf, poster)
    top += QUIET_ZONE
    pdf.draw_qr((pdf.w - QR_SIZE) / 2, top, QR_SIZE, poster.url)
    below = top + QR_SIZE + QUIET_ZONE + 9
    pdf.set_text_color(0)
    pdf.select_font(36, bold=True)
    _center(pdf, below, poster.address)
    code = _("Code %(code)s") % {"code": poster.code}
    pdf.select_font(20)
    _center(pdf, below + 13, f"{code}  ·  {poster.hint}" if poster.hint else code)
    if not poster.side:
        _draw_teams(pdf, pdf.h - 34, poster)
    pdf.set_text_color(64)
    pdf.select_font(12)
    _center(pdf, pdf.h - 12, _("No app, no account: all you need is a phone with a camera."))


def _draw_event(pdf: PdfDocument, poster: Poster) -> float:
    """Draw the heading and return the y coordinate of its lower edge."""
    pdf.set_text_color(0)
    if can_print(poster.event):
        pdf.select_font(40, bold=True)
        _center(pdf, 26, poster.event)
    pdf.select_font(24)
    _center(pdf, 39, _("Scan to vote"))
    return 39


def _draw_team(pdf: PdfDocument, poster: Poster, side: Side) -> float:
    """Draw a band in the team's color with its shape, and return the y coordinate of its lower edge.

    The shape identifies the team without color.
    """
    deep, left = 58, MARGIN + 46
    middle, width = pdf.place(MARGIN + 19), pdf.w - left - MARGIN
    pdf.set_fill_color(*COLORS[side])
    pdf.rect(0, 0, pdf.w, deep, style="F")
    pdf.set_fill_color(255)
    pdf.circle(middle, deep / 2, 21, style="F")
    pdf.draw_ball(side, middle, deep / 2, 19)
    pdf.set_text_color(255 if side == "red" else 0)
    pdf.select_font(22)
    # Translators: above the name of a team on its poster
    pdf.put_line(_("Play for"), left, 22, width)
    pdf.select_font(52, bold=True)
    pdf.put_line(_team_name(poster, side), left, 43, width)
    if can_print(poster.event):
        pdf.select_font(15)
        pdf.put_line(poster.event, left, 53, width)
    return deep


def _draw_teams(pdf: PdfDocument, y: float, poster: Poster) -> None:
    radius = 6
    pdf.select_font(22, bold=True)
    for side, place in zip(SIDES, (0.27, 0.73), strict=True):
        shown, size = pdf.fit_text(_team_name(poster, side), pdf.w * 0.34)
        width = pdf.get_string_width(shown) * size / pdf.font_size_pt
        left = pdf.place(pdf.w * place) - (width + 3 * radius) / 2
        pdf.draw_ball(side, pdf.place(left + radius), y, radius)
        pdf.put_line(shown, left + 3 * radius, y + pdf.font_size * 0.35, width)


def _team_name(poster: Poster, side: Side) -> str:
    number = SIDES.index(side)
    name = poster.teams[number]
    return name if can_print(name) else _("Team %(number)d") % {"number": number + 1}


def _center(pdf: PdfDocument, baseline: float, text: str) -> None:
    pdf.put_line(text, MARGIN, baseline, pdf.w - 2 * MARGIN, centered=True)
