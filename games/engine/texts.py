"""Texts of games: marked and written in English, and translated where they are shown."""

from collections.abc import Callable

from msgspec.structs import replace

from games.engine.game import Board, Drawing


def gettext_noop(message: str) -> str:
    """Mark a text for extraction, and return it in English."""
    return message


class GameText(str):
    """A text in English, with the message and the values from which it is made.

    The message has named placeholders. `%(red)s` and `%(yellow)s` are the teams: they become the placeholders
    `{red}` and `{yellow}` of the text. msgspec encodes only the plain string that `translate_text` returns.
    """

    __slots__ = ("message", "values")

    message: str
    values: dict[str, object]

    def __new__(cls, message: str, **values: object) -> "GameText":
        values = {"red": "{red}", "yellow": "{yellow}"} | values
        text = super().__new__(cls, message % values)
        text.message, text.values = message, values
        return text


def translate_drawing(drawing: Drawing, gettext: Callable[[str], str]) -> Drawing:
    """Return the drawing with its texts and its text alternative in the language of `gettext`."""
    marks = tuple(
        replace(mark, text=translate_text(mark.text, gettext)) if mark.kind == "text" else mark
        for mark in drawing.marks
    )
    return replace(drawing, marks=marks, words=translate_text(drawing.words, gettext))


def translate_board(board: Board, gettext: Callable[[str], str]) -> Board:
    """Return the board with the texts of its drawing, if it has one, in the language of `gettext`."""
    return replace(board, drawing=board.drawing and translate_drawing(board.drawing, gettext))


def translate_text(text: str, gettext: Callable[[str], str]) -> str:
    """Return a game's text in the language of `gettext`, as a plain string."""
    return gettext(text.message) % text.values if isinstance(text, GameText) else gettext(text)
