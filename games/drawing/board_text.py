"""A replayed record as text for a terminal: readable without color, and safe for untrusted names."""

from rich.text import Text

from games.engine.game import Board, insert_team_names
from games.engine.record import Replayed

STYLE = {"R": "bold white on red", "Y": "bold black on yellow", ".": "dim"}
TITLE_WIDTH = 100
RESULT_TEXT = {"red": "red wins", "yellow": "yellow wins", "draw": "a draw", "open": "still open"}


def board_text(title: str, played: Replayed) -> Text:
    """Return the title, the board and the result of a replayed record."""
    text = Text()
    text.append(printable(title) + "\n", "bold")
    drawing = played.board.drawing
    if drawing:
        text.append(insert_team_names(drawing.words, {"red": "red", "yellow": "yellow"}) + "\n")
    _append_grid(text, played.board)
    if played.board.token:
        text.append(f"token: {played.board.token}\n")
    text.append(f"after {_turns(len(played.resolutions))}: {RESULT_TEXT[played.result]}\n")
    if played.error_turn:
        text.append(f"turn {played.error_turn} is refused: {printable(played.error or '')}\n", "bold red")
    return text


def refused_text(title: str, number: int, why: str) -> Text:
    """Return the message for line `number`, which cannot be played."""
    text = Text()
    text.append(printable(title) + "\n", "bold")
    text.append(f"line {number} cannot be played: {printable(why)}\n", "bold red")
    return text


def printable(raw: str) -> str:
    """Make untrusted text safe for the terminal.

    Replaces unprintable characters, which could control the terminal or break its encoding, and limits the
    length.
    """
    shown = "".join(char if char.isprintable() else "�" for char in raw[:TITLE_WIDTH])
    return shown + "…" if len(raw) > TITLE_WIDTH else shown


def _append_grid(text: Text, board: Board) -> None:
    """Append the column numbers and the rows. Winning cells are in brackets, losing ones in parentheses."""
    text.append("".join(f"{column:^4}" for column in range(1, board.columns + 1)).rstrip() + "\n", "dim")
    marks = dict.fromkeys(board.winning_cells, ("[", "]")) | dict.fromkeys(board.losing_cells, ("(", ")"))
    for row, line in zip(range(board.rows, 0, -1), board.grid, strict=True):
        for column, char in enumerate(line, 1):
            left, right = marks.get((column, row), (" ", " "))
            text.append(f"{left}{char}{right}", STYLE[char])
            text.append(" ")
        text.append("\n")


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
