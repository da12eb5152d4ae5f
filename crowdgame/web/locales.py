"""Locale negotiation: the `locale` query parameter, or else the best match for Accept-Language."""

import re
from collections.abc import Sequence

from django.utils.translation.trans_real import parse_accept_lang_header

LOCALE_PARAMETER = re.compile(rb"(?:^|&)locale=([a-z]{2})(?:&|$)")


def choose_locale(query: bytes, accepted: bytes, available: Sequence[str]) -> str:
    """Return one of the `available` locales. The first is the fallback if none is accepted.

    `query` is the raw query string, `accepted` the Accept-Language header. Subtags such as "AT" don't count.
    """
    asked = LOCALE_PARAMETER.search(query)
    if asked and asked[1].decode() in available:
        return asked[1].decode()
    preferences: dict[str, tuple[float, int]] = {}
    for place, (language, weight) in enumerate(parse_accept_lang_header(accepted.decode("latin-1")), 1):
        preferences.setdefault(language.partition("-")[0], (weight, -place))
    fallback = preferences.pop("*", (0.0, 0))
    return max(available, key=lambda locale: preferences.get(locale, fallback))
