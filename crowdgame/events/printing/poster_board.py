"""The board on a poster: lacquer with a brass rim, on which both teams are one ball from winning."""

from fpdf import FPDF

from crowdgame.events.printing.pdf_document import Box, PdfDocument
from games.engine.game import Side

# From the top row to the bottom. Both balls above the board would complete four in a column.
POSITION = (
    ".......",
    ".......",
    ".R..Y..",
    ".R.RY..",
    ".RYRYRY",
    "YYRYRYR",
)
FALLING: tuple[tuple[Side, int], ...] = (("red", 1), ("yellow", 4))
SIDE_BY_CELL: dict[str, Side] = {"R": "red", "Y": "yellow"}
COLUMNS, ROWS = len(POSITION[0]), len(POSITION)
LACQUER, BRASS, BRASS_EDGE, INK = (26, 38, 71), (217, 179, 108), (109, 77, 28), (19, 26, 48)
PAD, RIM, HEAD = 0.22, 0.09, 1.3  # of the width of a cell
HOLE, BALL = 0.41, 0.44
# Votes that fly towards the board: distance from its edge, height above its foot and radius, in cells.
VOTES = (
    (0.5, 5.6, 0.13),
    (0.9, 6.3, 0.09),
    (1.25, 5.2, 0.16),
    (1.7, 5.9, 0.11),
    (2.1, 5.0, 0.08),
    (2.5, 6.2, 0.14),
    (2.95, 5.5, 0.1),
    (1.6, 6.9, 0.12),
    (0.3, 6.95, 0.1),
    (2.6, 7.1, 0.08),
)


def board_width(height: float) -> float:
    """Return the width of a board that is `height` high, with the balls above it."""
    return height * (COLUMNS + 2 * PAD) / (ROWS + 2 * PAD + HEAD)


def draw_board(pdf: PdfDocument, left: float, top: float, height: float) -> None:
    """Draw the board, the balls above it and the votes at both sides. The board is never mirrored."""
    width = board_width(height)
    cell = width / (COLUMNS + 2 * PAD)
    wall = top + HEAD * cell
    _draw_wall(pdf, (left, wall, width, top + height - wall), cell)
    for row, cells in enumerate(POSITION):
        for column, char in enumerate(cells):
            x, y = left + (PAD + column + 0.5) * cell, wall + (PAD + row + 0.5) * cell
            if char in SIDE_BY_CELL:
                pdf.draw_ball(SIDE_BY_CELL[char], x, y, BALL * cell)
            else:
                _fill_circle(pdf, x, y, HOLE * cell)
    for side, column in FALLING:
        x = left + (PAD + column + 0.5) * cell
        pdf.draw_ball(side, x, wall - 0.55 * cell, BALL * cell)
        _draw_motion(pdf, x, wall - 1.08 * cell, cell)
    for away, up, radius in VOTES:
        y = top + height - up * cell
        pdf.draw_ball("red", left - away * cell, y, radius * cell)
        pdf.draw_ball("yellow", left + width + away * cell, y, radius * cell)


def _draw_wall(pdf: FPDF, box: Box, cell: float) -> None:
    pdf.set_fill_color(*LACQUER)
    with pdf.local_context(draw_color=BRASS_EDGE, line_width=RIM * cell * 1.5):
        pdf.rect(*box, style="DF", round_corners=True, corner_radius=0.26 * cell)
    with pdf.local_context(draw_color=BRASS, line_width=RIM * cell):
        pdf.rect(*box, style="D", round_corners=True, corner_radius=0.26 * cell)


def _fill_circle(pdf: FPDF, x: float, y: float, radius: float) -> None:
    """Draw an empty hole in the color of the paper, which saves ink."""
    pdf.set_fill_color(255)
    pdf.circle(x, y, radius, style="F")


def _draw_motion(pdf: FPDF, x: float, foot: float, cell: float) -> None:
    with pdf.local_context(draw_color=INK, line_width=0.045 * cell, stroke_cap_style="round"):
        for aside, length in ((-0.22, 0.16), (0, 0.26), (0.22, 0.16)):
            pdf.line(x + aside * cell, foot, x + aside * cell, foot - length * cell)
