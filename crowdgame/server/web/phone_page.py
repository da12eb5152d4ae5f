"""The phone page in each language.

Django matches the language: by the `locale` query parameter, or else by Accept-Language.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header

from crowdgame.server.web.preloaded_page import ENGLISH, PreloadedPage, load_pages

LOCALE_PARAMETER = re.compile(rb"(?:^|&)locale=([A-Za-z-]{2,20})(?:&|$)")
STATE_CACHE_SIZE = 50


class PhonePages:
    """The phone page in all built languages. Empty if the frontend isn't built."""

    def __init__(self, folder: Path) -> None:
        self._pages = load_pages(folder, "phone", states=STATE_CACHE_SIZE)

    def __bool__(self) -> bool:
        return bool(self._pages)

    def page_for(self, scope: Any) -> PreloadedPage:
        """Return the page in the language the request prefers."""
        accepted = dict(scope["headers"]).get(b"accept-language", b"")
        language = choose_language(scope.get("query_string", b""), accepted)
        return self._pages.get(language) or self._pages[ENGLISH]


def choose_language(query: bytes, accepted: bytes) -> str:
    """Return one of the languages in the settings.

    `query` is the raw query string, `accepted` the Accept-Language header.
    """
    asked = LOCALE_PARAMETER.search(query)
    preferences = [tag for tag, _ in parse_accept_lang_header(accepted.decode("latin-1"))]
    for tag in [asked[1].decode().lower(), *preferences] if asked else preferences:
        if tag == "*":
            break
        with suppress(LookupError):
            return get_supported_language_variant(tag)
    return settings.LANGUAGE_CODE
