"""QR code posters as PDF: one A4 page per event, or one per team if each team has its own link."""

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from crowdgame.printing.pdf_text import (
    BOLD,
    COLORS,
    PLAIN,
    can_print,
    draw_ball,
    draw_qr,
    draw_text,
    fit_text,
    text_width,
)
from games.engine.game import SIDES, Side

WIDTH: float = A4[0]
HEIGHT: float = A4[1]
MARGIN = 16 * mm
QR_SIZE = 146 * mm
QUIET_ZONE = 14 * mm
MIDDLE = WIDTH / 2


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
    """Return a PDF with one page per poster. Replaces or leaves out names that the fonts can't print."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1)
    canvas.setTitle(f"Poster {posters[0].code}")
    for poster in posters:
        _draw(canvas, poster)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Any, poster: Poster) -> None:
    top = _draw_team(canvas, poster, poster.side) if poster.side else _draw_event(canvas, poster)
    bottom = top - QUIET_ZONE - QR_SIZE
    draw_qr(canvas, (MIDDLE - QR_SIZE / 2, bottom), QR_SIZE, poster.url)
    canvas.setFillGray(0)
    below = bottom - 9 * mm - QUIET_ZONE
    _line(canvas, below, poster.address, BOLD, 36)
    _draw_code(canvas, below - 13 * mm, poster)
    if not poster.side:
        _draw_teams(canvas, 34 * mm, poster.teams)
    canvas.setFillGray(0.25)
    _line(canvas, 12 * mm, "No app, no account: all you need is a phone with a camera.", PLAIN, 12)


def _draw_event(canvas: Any, poster: Poster) -> float:
    """Draw the heading and return the y coordinate of its lower edge."""
    canvas.setFillGray(0)
    if can_print(poster.event):
        _line(canvas, HEIGHT - 26 * mm, poster.event, BOLD, 40)
    _line(canvas, HEIGHT - 39 * mm, "Scan to vote", PLAIN, 24)
    return HEIGHT - float(39 * mm)


def _draw_team(canvas: Any, poster: Poster, side: Side) -> float:
    """Draw a band in the team's color with its shape, and return the y coordinate of its lower edge.

    The shape identifies the team without color.
    """
    deep = 58 * mm
    canvas.setFillColorRGB(*COLORS[side])
    canvas.rect(0, HEIGHT - deep, WIDTH, deep, stroke=0, fill=1)
    canvas.setFillGray(1)
    canvas.circle(MARGIN + 19 * mm, HEIGHT - deep / 2, 21 * mm, stroke=0, fill=1)
    draw_ball(canvas, side, (MARGIN + 19 * mm, HEIGHT - deep / 2), 19 * mm)
    canvas.setFillGray(1 if side == "red" else 0)
    left = MARGIN + 46 * mm
    draw_text(canvas, (left, HEIGHT - 22 * mm), "Play for", PLAIN, 22)
    name = poster.teams[SIDES.index(side)]
    shown, size = fit_text(
        name if can_print(name) else f"Team {SIDES.index(side) + 1}", BOLD, 52, WIDTH - left - MARGIN
    )
    draw_text(canvas, (left, HEIGHT - 43 * mm), shown, BOLD, size)
    if can_print(poster.event):
        shown, size = fit_text(poster.event, PLAIN, 15, WIDTH - left - MARGIN)
        draw_text(canvas, (left, HEIGHT - 53 * mm), shown, PLAIN, size)
    return HEIGHT - float(deep)


def _draw_code(canvas: Any, y: float, poster: Poster) -> None:
    text = f"Code {poster.code}" if not poster.hint else f"Code {poster.code}  ·  {poster.hint}"
    _line(canvas, y, text, PLAIN, 20)


def _draw_teams(canvas: Any, y: float, teams: tuple[str, str]) -> None:
    radius, size = 6 * mm, 22.0
    for side, name, middle in zip(SIDES, teams, (WIDTH * 0.27, WIDTH * 0.73), strict=True):
        shown, fitted = fit_text(name if can_print(name) else side.capitalize(), BOLD, size, WIDTH * 0.34)
        left = middle - (text_width(shown, BOLD, fitted) + 3 * radius) / 2
        draw_ball(canvas, side, (left + radius, y), radius)
        canvas.setFillGray(0)
        draw_text(canvas, (left + 3 * radius, y - fitted * 0.35), shown, BOLD, fitted)


def _line(canvas: Any, y: float, text: str, font: str, size: float) -> None:
    shown, fitted = fit_text(text, font, size, WIDTH - 2 * MARGIN)
    draw_text(canvas, (MIDDLE - text_width(shown, font, fitted) / 2, y), shown, font, fitted)
