"""Locale negotiation: the `locale` query parameter, or else the best match for Accept-Language."""

import re
from collections.abc import Sequence

LOCALE_PARAMETER = re.compile(rb"(?:^|&)locale=([a-z]{2})(?:&|$)")
# A language range with optional subtags and weight (RFC 9110, 12.5.4). Only the language is used.
LANGUAGE_RANGE = re.compile(
    r"(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?", re.IGNORECASE
)
MAX_RANGES = 30
NOT_ACCEPTED = -1


def choose_locale(query: bytes, accepted: bytes, available: Sequence[str]) -> str:
    """Return one of the `available` locales. The first is the fallback if none is accepted.

    `query` is the raw query string, `accepted` the Accept-Language header.
    """
    asked = LOCALE_PARAMETER.search(query)
    if asked and asked[1].decode() in available:
        return asked[1].decode()
    preferences = _parse_accept_language(accepted.decode("latin-1"))
    fallback = preferences.pop("*", (0.0, 0))
    return max(available, key=lambda locale: preferences.get(locale, fallback))


def _parse_accept_language(accepted: str) -> dict[str, tuple[float, int]]:
    """Return a sort key per language: its weight, then its position, earlier ones higher.

    If a language is listed twice, the higher key counts.
    """
    preferences: dict[str, tuple[float, int]] = {}
    for place, part in enumerate(accepted.split(",")[:MAX_RANGES]):
        found = LANGUAGE_RANGE.fullmatch(part.strip())
        if found:
            weight = float(found[2] or 1)
            preference = (weight, MAX_RANGES - place if weight else NOT_ACCEPTED)
            preferences[found[1].lower()] = max(preference, preferences.get(found[1].lower(), preference))
    return preferences
