"""Texts of games: marked and written in English, and translated where they are shown."""

from collections.abc import Callable


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


def translate_text(text: str, gettext: Callable[[str], str]) -> str:
    """Return a game's text in the language of `gettext`, as a plain string."""
    return gettext(text.message) % text.values if isinstance(text, GameText) else gettext(text)
