"""Codes as people type or paste them: join codes, tickets, rotating codes and voter codes.

`frontend/src/phone/typedCode.ts` does the same. Both are tested with `tests/voting/typed_codes.json`.
"""

import re
import unicodedata
from urllib.parse import unquote

JOIN_CODE = re.compile("[BCDFGHJKMNPQRSTVWXYZ2-9]{4,16}")
_INVISIBLE_LETTERS = "\u115f\u1160"
_ADDRESS_PARTS = "/?#"
_AFTER_CODE = re.compile(r"(?:/[12])?/?(?:\?[^#]*)?(?=#|\Z)")


def normalize_code(typed: str) -> str:
    """Return the letters and digits of a code, in upper case and with ASCII digits.

    Of an address, returns the last part: the fragment, or else the last segment of the path. Ignores a query
    and the number of a team.
    """
    plain = unicodedata.normalize("NFKC", unquote(typed))
    address = "".join(char for char in plain if _is_kept(char))
    last = re.split("[/#]", _AFTER_CODE.sub("", address, count=1))[-1]
    return plain_digits(last.replace("?", "")).upper()


def plain_digits(text: str) -> str:
    """Return the text with ASCII digits instead of those of other scripts."""
    return "".join(str(unicodedata.decimal(char, char)) for char in text)


def _is_kept(char: str) -> bool:
    return char in _ADDRESS_PARTS or (char.isalnum() and char not in _INVISIBLE_LETTERS)
