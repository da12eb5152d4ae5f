"""Look-alike names, by Unicode Technical Standard 39: the skeleton of a name, and the scripts it mixes."""

import unicodedata
from functools import cache

SEPARATORS = " -'\u2019_"
LEFT_TO_RIGHT_MARK = "\u200e"  # around right-to-left characters in the library's table
MAX_ROUNDS = 3  # after which no character changes any more
SCRIPTLESS = frozenset({"COMMON", "INHERITED"})
# Highly restrictive level of UTS 39: the writing systems that use several scripts, and Latin.
MIXED_WRITING_SYSTEMS = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
# A capital I looks like a small l, so both cases of both letters count as one.
FINAL_REPLACEMENTS = str.maketrans("i", "l", SEPARATORS)


def name_skeleton(name: str) -> str:
    """Return the skeleton of a name. Names that look alike have the same one; it is not fit to be shown.

    As in `name_key`, case, Unicode width and separators do not count. Confusable characters are mapped before
    case is folded, because they look alike only in the case that is shown: capital Cyrillic TOM, but not tom.
    """
    prototypes = _find_prototypes()
    skeleton = unicodedata.normalize("NFKC", name)
    for _ in range(MAX_ROUNDS):
        decomposed = unicodedata.normalize("NFKD", skeleton)
        skeleton = "".join(prototypes.get(char, char) for char in decomposed).casefold()
    joined = unicodedata.normalize("NFKD", skeleton).translate(FINAL_REPLACEMENTS)
    return unicodedata.normalize("NFKD", joined)  # without separators, marks may need another order


def without_marks(skeleton: str) -> str:
    """Remove accents and other marks."""
    return "".join(char for char in skeleton if not unicodedata.category(char).startswith("M"))


def mixes_scripts(name: str) -> bool:
    """Whether the name has letters of scripts that no writing system uses together."""
    from confusable_homoglyphs.categories import unique_aliases  # noqa: PLC0415

    scripts = unique_aliases(unicodedata.normalize("NFKC", name)) - SCRIPTLESS
    return len(scripts) > 1 and not any(scripts <= system for system in MIXED_WRITING_SYSTEMS)


def _load_look_alikes() -> dict[str, list[str]]:
    """Return the library's table: each character or prototype with what it is confusable with."""
    from confusable_homoglyphs.confusables import confusables_data  # noqa: PLC0415

    return {
        key.strip(LEFT_TO_RIGHT_MARK): [entry["c"].strip(LEFT_TO_RIGHT_MARK) for entry in entries]
        for key, entries in confusables_data.items()
    }


@cache  # not at import: few processes need the table
def _find_prototypes() -> dict[str, str]:
    """Return the prototype of each confusable character.

    The table lists each pair of UTS 39 in both directions. A character with several entries, or a sequence,
    is a prototype. Of a pair that is confusable with nothing else, either serves.
    """
    look_alikes = _load_look_alikes()
    prototypes = {}
    for char, others in look_alikes.items():
        if len(char) == len(others) == 1:
            (other,) = others
            is_prototype = len(other) > 1 or len(look_alikes[other]) > 1
            prototypes[char] = other if is_prototype else min(char, other)
    return prototypes
