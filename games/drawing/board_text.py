"""A replayed record as text for a terminal: readable without color, and safe for untrusted names."""

from collections.abc import Iterator
from typing import Any

from click import style

from games.engine.game import Board, insert_team_names
from games.engine.record import Replayed

STYLE: dict[str, dict[str, Any]] = {
    "R": {"fg": "white", "bg": "red", "bold": True},
    "Y": {"fg": "black", "bg": "yellow", "bold": True},
    ".": {"dim": True},
}
TITLE_WIDTH = 100
RESULT_TEXT = {"red": "red wins", "yellow": "yellow wins", "draw": "a draw", "open": "still open"}


def board_text(title: str, played: Replayed) -> str:
    """Return the title, the board and the result of a replayed record, with ANSI colors."""
    lines = [style(printable(title), bold=True)]
    if drawing := played.board.drawing:
        lines.append(insert_team_names(drawing.words, {"red": "red", "yellow": "yellow"}))
    lines += _grid(played.board)
    if played.board.token:
        lines.append(f"token: {played.board.token}")
    lines.append(f"after {_turns(len(played.resolutions))}: {RESULT_TEXT[played.result]}")
    if played.error_turn:
        lines.append(_error(f"turn {played.error_turn} is refused: {printable(played.error or '')}"))
    return "\n".join(lines)


def refused_text(title: str, number: int, why: str) -> str:
    """Return the message for line `number`, which cannot be played."""
    return (
        f"{style(printable(title), bold=True)}\n{_error(f'line {number} cannot be played: {printable(why)}')}"
    )


def _error(text: str) -> str:
    return style(text, fg="red", bold=True)


def printable(raw: str) -> str:
    """Make untrusted text safe for the terminal.

    Replaces unprintable characters, which could control the terminal or break its encoding, and limits the
    length.
    """
    shown = "".join(char if char.isprintable() else "�" for char in raw[:TITLE_WIDTH])
    return shown + "…" if len(raw) > TITLE_WIDTH else shown


def _grid(board: Board) -> Iterator[str]:
    """Yield the column numbers and the rows. Winning cells are in brackets, losing ones in parentheses."""
    yield style("".join(f"{column:^4}" for column in range(1, board.columns + 1)).rstrip(), dim=True)
    marks = dict.fromkeys(board.winning_cells, ("[", "]")) | dict.fromkeys(board.losing_cells, ("(", ")"))
    for row, line in zip(range(board.rows, 0, -1), board.grid, strict=True):
        cells = ((char, *marks.get((column, row), (" ", " "))) for column, char in enumerate(line, 1))
        yield "".join(f"{style(left + char + right, **STYLE[char])} " for char, left, right in cells)


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
