"""What people call things: typed names made harmless, and names for teams that nobody has named yet."""

import unicodedata
from itertools import dropwhile

# Letters and marks that show nothing, though Unicode does not call them format characters.
UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(point)
    for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
    for point in range(first, last + 1)
}
MARKS_AT_ONCE = 4
# Persian and the scripts of India need them: between letters, and after a sign that joins letters.
JOINERS = frozenset("\u200c\u200d")
VIRAMA = 9

# Of a harbour, and of no colour: each goes with red and with yellow.
TEAM_NAMES = (
    "Anchors",
    "Buoys",
    "Capstans",
    "Cormorants",
    "Ferries",
    "Gulls",
    "Halyards",
    "Herons",
    "Keels",
    "Lanterns",
    "Lighthouses",
    "Otters",
    "Pilots",
    "Rudders",
    "Seals",
    "Terns",
    "Tides",
    "Tugboats",
)


def clean_name(text: str) -> str:
    """One line of what can be seen, composed (NFC); empty if nothing is left.

    Without controls, bidirectional and other format characters, whatever has no width, and surrogates,
    private and unassigned characters; joiners stay where a script needs them. No mark comes before a letter,
    and no tower of them stands on one.
    """
    seen = "".join(" " if letter.isspace() else letter for letter in text if _is_seen(letter))
    composed = unicodedata.normalize("NFC", _without_stray_joiners(seen))
    begun = "".join(dropwhile(lambda letter: letter == " " or _is_attached(letter), composed))
    return unicodedata.normalize("NFC", _without_towers(" ".join(begun.split())))


def _is_seen(letter: str) -> bool:
    if letter.isspace() or letter in JOINERS:
        return True
    return letter not in UNSEEN and not unicodedata.category(letter).startswith("C")


def _without_stray_joiners(text: str) -> str:
    kept: list[str] = []
    for letter, after in zip(text, text[1:] + " ", strict=False):
        if letter not in JOINERS or (after.isalpha() and _wants_joiner(kept, after)):
            kept.append(letter)
    return "".join(kept)


def _wants_joiner(before: list[str], after: str) -> bool:
    for letter in reversed(before):
        if not _is_mark(letter):
            return letter is before[-1] and _is_arabic(letter) and _is_arabic(after)
        if unicodedata.combining(letter) == VIRAMA:
            return True
    return False


def _is_arabic(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("ARABIC LETTER")


def _is_mark(letter: str) -> bool:
    return unicodedata.category(letter).startswith("M")


def _is_attached(letter: str) -> bool:
    return _is_mark(letter) or letter in JOINERS


def _without_towers(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if _is_attached(letter) else 0
        if marks <= MARKS_AT_ONCE:
            kept.append(letter)
    return "".join(kept)
