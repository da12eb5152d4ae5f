"""The language of a page: the one its address asks for, else the best of those the browser would like."""

import re
from collections.abc import Sequence

ASKED = re.compile(rb"(?:^|&)tongue=([a-z]{2})(?:&|$)")
# A language, perhaps with a script or a country, and perhaps how much it is wanted (RFC 9110, 12.5.4).
RANGE = re.compile(r"(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE)
MOST_RANGES = 30
REFUSED = -1


def tongue_of(query: bytes, accepted: bytes, spoken: Sequence[str]) -> str:
    """One of those `spoken`; the first of them is for whoever understands none."""
    asked = ASKED.search(query)
    if asked and asked[1].decode() in spoken:
        return asked[1].decode()
    wishes = _wishes(accepted.decode("latin-1"))
    others = wishes.pop("*", (0.0, 0))
    return max(spoken, key=lambda tongue: wishes.get(tongue, others))


def _wishes(accepted: str) -> dict[str, tuple[float, int]]:
    """How much each is wanted: of two wanted alike the first one more, of one named twice the better."""
    wishes: dict[str, tuple[float, int]] = {}
    for place, part in enumerate(accepted.split(",")[:MOST_RANGES]):
        found = RANGE.fullmatch(part.strip())
        if found:
            weight = float(found[2] or 1)
            wish = (weight, MOST_RANGES - place if weight else REFUSED)
            wishes[found[1].lower()] = max(wish, wishes.get(found[1].lower(), wish))
    return wishes
