"""Sanitizing of names typed by users, and default team names."""

import unicodedata
from itertools import dropwhile

from games.engine.texts import gettext_noop

# Invisible letters and marks that are not format characters in Unicode.
INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(point)
    for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
    for point in range(first, last + 1)
}
MAX_STACKED_MARKS = 4
# Joiners, which Persian and Indic scripts need between letters, and after a virama.
JOINERS = frozenset("\u200c\u200d")
VIRAMA = 9

# Harbor terms in the plural, without a color, because each team plays red or yellow.
TEAM_NAMES = (
    gettext_noop("Anchors"),
    gettext_noop("Buoys"),
    gettext_noop("Capstans"),
    gettext_noop("Cormorants"),
    gettext_noop("Ferries"),
    gettext_noop("Gulls"),
    gettext_noop("Halyards"),
    gettext_noop("Herons"),
    gettext_noop("Keels"),
    gettext_noop("Lanterns"),
    gettext_noop("Lighthouses"),
    gettext_noop("Otters"),
    gettext_noop("Pilots"),
    gettext_noop("Rudders"),
    gettext_noop("Seals"),
    gettext_noop("Terns"),
    gettext_noop("Tides"),
    gettext_noop("Tugboats"),
)


def clean_name(text: str) -> str:
    """Return `text` as one visible line, composed (NFC); empty if nothing is left.

    Removes control, bidirectional, format, zero-width, surrogate, private-use and unassigned characters.
    Joiners stay where a script needs them. Removes marks before the first letter and limits stacked marks to
    MAX_STACKED_MARKS.
    """
    seen = "".join(" " if char.isspace() else char for char in text if _is_visible(char))
    composed = unicodedata.normalize("NFC", _drop_stray_joiners(seen))
    begun = "".join(dropwhile(lambda char: char == " " or _is_attached(char), composed))
    return unicodedata.normalize("NFC", _limit_stacked_marks(" ".join(begun.split())))


def _is_visible(char: str) -> bool:
    if char.isspace() or char in JOINERS:
        return True
    return char not in INVISIBLE and not unicodedata.category(char).startswith("C")


def _drop_stray_joiners(text: str) -> str:
    kept: list[str] = []
    for char, after in zip(text, text[1:] + " ", strict=False):
        if char not in JOINERS or (after.isalpha() and _wants_joiner(kept, after)):
            kept.append(char)
    return "".join(kept)


def _wants_joiner(before: list[str], after: str) -> bool:
    for char in reversed(before):
        if not _is_mark(char):
            return char is before[-1] and _is_arabic(char) and _is_arabic(after)
        if unicodedata.combining(char) == VIRAMA:
            return True
    return False


def _is_arabic(char: str) -> bool:
    return unicodedata.name(char, "").startswith("ARABIC LETTER")


def _is_mark(char: str) -> bool:
    return unicodedata.category(char).startswith("M")


def _is_attached(char: str) -> bool:
    return _is_mark(char) or char in JOINERS


def _limit_stacked_marks(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for char in text:
        marks = marks + 1 if _is_attached(char) else 0
        if marks <= MAX_STACKED_MARKS:
            kept.append(char)
    return "".join(kept)
