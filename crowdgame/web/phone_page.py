"""The phone page in each locale, as built or with the event's state preloaded as embedded JSON.

Locale negotiation: the `locale` query parameter, or else the best match for Accept-Language.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.utils.translation.trans_real import parse_accept_lang_header

from crowdgame.web.cached_responses import CachedResponse, load_page
from crowdgame.web.gzip_prefix import PrefixCompressor
from voting.gateway.page_preload import PreloadParts

ENGLISH = "en"
LOCALE_PARAMETER = re.compile(rb"(?:^|&)locale=([a-z]{2})(?:&|$)")
PRELOAD, SCRIPT_END = b'<script type="application/json" id="preload">', b"</script>"
STATE_CACHE_SIZE = 50


class PhonePage:
    """The phone page in one locale. Compressed prefixes are cached per event state."""

    def __init__(self, path: Path, varies: str) -> None:
        self._blank = load_page(path, varies)
        self._headers = [
            (name, b"no-store" if name == b"cache-control" else value) for name, value in self._blank.headers
        ]
        self._with_state = lru_cache(STATE_CACHE_SIZE)(PrefixCompressor(self._blank.body + PRELOAD).extend)

    def with_preload(self, preload: PreloadParts | None) -> CachedResponse:
        if preload is None:
            return self._blank
        begun, rest = self._with_state(preload.state), preload.own + SCRIPT_END
        return CachedResponse(self._headers, begun.plain + rest, begun.complete(rest))


class PhonePages:
    """The phone page in all built locales, English first. Empty if the frontend isn't built."""

    def __init__(self, folder: Path) -> None:
        others = {path.suffixes[0][1:]: path for path in sorted(folder.glob("phone.??.html"))}
        built = {ENGLISH: folder / "phone.html", **others}
        varies = "accept-encoding, accept-language" if others else "accept-encoding"
        self._pages = {locale: PhonePage(path, varies) for locale, path in built.items() if path.is_file()}

    def __bool__(self) -> bool:
        return bool(self._pages)

    def page_for(self, scope: Any) -> PhonePage:
        """Return the page in the locale the request prefers."""
        accepted = dict(scope["headers"]).get(b"accept-language", b"")
        return self._pages[choose_locale(scope.get("query_string", b""), accepted, tuple(self._pages))]


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
