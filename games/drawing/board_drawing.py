"""SVG drawing of a grid board, for pages and print. Colors and print styles are in `paper.css`.

A cell is 100 units wide and high. A page contains `BALLS` once, then any number of boards.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape

from games.drawing.drawing import draw_drawing
from games.engine.game import Board, Cell, Side

PITCH, PAD, FOOT, HEAD = 100, 22, 84, 118
SIDE_BY_CELL: dict[str, Side] = {"R": "red", "Y": "yellow"}

RED = (
    '<symbol id="ball-red" viewBox="-46 -46 92 92"><circle r="44" class="red"/>'
    '<circle r="18" class="shape red"/></symbol>'
)
YELLOW = (
    '<symbol id="ball-yellow" viewBox="-46 -46 92 92"><circle r="44" class="yellow"/>'
    '<path d="M0 -22 L20.5 13.5 H-20.5 Z" class="shape yellow"/></symbol>'
)
COIN = (
    '<symbol id="coin" viewBox="-46 -46 92 92"><circle r="44" class="brass"/>'
    '<circle r="36" class="engraved"/>'
    '<path d="M0 -31 L8 -8 L31 0 L8 8 L0 31 L-8 8 L-31 0 L-8 -8 Z" class="rose"/></symbol>'
)
BALLS = f'<svg class="unseen" aria-hidden="true">{RED}{YELLOW}{COIN}</svg>'


@dataclass(frozen=True, slots=True)
class Highlights:
    """What a drawing highlights: balls just dropped, balls about to drop, and a framed column.

    `above` are the side and column of each ball about to drop. In the same column, the first one is drawn
    lowest.
    """

    fresh: Collection[Cell] = ()
    above: tuple[tuple[Side, int], ...] = ()
    framed: int | None = None


PLAIN = Highlights()


def draw_board(board: Board, description: str, marks: Highlights = PLAIN) -> str:
    """Return the board as SVG; `description` is the text alternative."""
    if board.drawing:
        return draw_drawing(board.drawing, description)
    width = board.columns * PITCH + 2 * PAD
    height = board.rows * PITCH + 2 * PAD + FOOT
    deepest = max((_place(marks, index) for index in range(len(marks.above))), default=0)
    head = deepest * HEAD
    lit = " lit" if board.winning_cells else ""
    return (
        f'<svg class="cabinet{lit}" viewBox="0 {-head} {width} {height + head}" role="img" '
        f'aria-label="{escape(description)}">'
        f'<rect class="wall" x="3" y="3" width="{width - 6}" height="{height - 6}" rx="26"/>'
        f"{''.join(_cells(board, marks))}{''.join(_plates(board))}{''.join(_above(board, marks))}"
        f"{_frame(marks.framed, height)}</svg>"
    )


def ball(side: Side, x: float, y: float, extra: str = "") -> str:
    """Return the SVG of a ball centered at (`x`, `y`); `extra` are further attributes."""
    return f'<use href="#ball-{side}" x="{x - 46:g}" y="{y - 46:g}" width="92" height="92"{extra}/>'


def _x(column: int) -> float:
    return PAD + (column - 0.5) * PITCH


def _y(row: int, rows: int) -> float:
    return PAD + (rows - row + 0.5) * PITCH


def _cells(board: Board, marks: Highlights) -> Iterator[str]:
    for line, chars in enumerate(board.grid):
        for column, char in enumerate(chars, 1):
            yield _cell(board, (column, board.rows - line), char, marks)


def _cell(board: Board, cell: Cell, char: str, marks: Highlights) -> str:
    x, y = _x(cell[0]), _y(cell[1], board.rows)
    if char not in SIDE_BY_CELL:
        return f'<circle class="hole" cx="{x:g}" cy="{y:g}" r="42"/>'
    shines = cell in board.winning_cells or cell in board.losing_cells
    drawn = ball(SIDE_BY_CELL[char], x, y, ' class="shines"' if shines else "")
    if shines:
        return f'{drawn}<circle class="light" cx="{x:g}" cy="{y:g}" r="45"/>'
    if cell in marks.fresh:
        return f'{drawn}<circle class="fresh" cx="{x:g}" cy="{y:g}" r="46"/>'
    return drawn


def _plates(board: Board) -> Iterator[str]:
    y = PAD + board.rows * PITCH + PAD + FOOT / 2 - 4
    for column in range(1, board.columns + 1):
        x = _x(column)
        yield (
            f'<rect class="plate" x="{x - 37:g}" y="{y - 33:g}" width="74" height="66" rx="9"/>'
            f'<text x="{x:g}" y="{y + 20:g}">{column}</text>'
        )


def _place(marks: Highlights, index: int) -> int:
    """Return the position of a ball above its column, 1 being the lowest."""
    column = marks.above[index][1]
    return sum(1 for _, other in marks.above[: index + 1] if other == column)


def _above(board: Board, marks: Highlights) -> Iterator[str]:
    for index, (side, column) in enumerate(marks.above):
        yield ball(side, _x(column), 62 - _place(marks, index) * HEAD)


def _frame(column: int | None, height: int) -> str:
    if column is None:
        return ""
    return (
        f'<rect class="frame" x="{_x(column) - 50:g}" y="4" width="100" height="{height - 8}" rx="22" '
        'vector-effect="non-scaling-stroke"/>'
    )
