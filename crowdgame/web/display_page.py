"""The display page in each language: the event's, or for tests that of the `lang` query parameter."""

import re
from pathlib import Path
from typing import Any

from crowdgame.web.cached_responses import CachedResponse, load_page

ENGLISH = "en"
LANGUAGE_PARAMETER = re.compile(rb"(?:^|&)lang=([a-z-]{2,20})(?:&|$)")


class DisplayPages:
    """The display page in all built languages. Empty if the frontend isn't built."""

    def __init__(self, folder: Path) -> None:
        others = {path.suffixes[0][1:]: path for path in sorted(folder.glob("display.*.html"))}
        built = {ENGLISH: folder / "display.html", **others}
        self._pages = {code: load_page(path) for code, path in built.items() if path.is_file()}

    def __bool__(self) -> bool:
        return bool(self._pages)

    def page_for(self, scope: Any, language: str) -> CachedResponse:
        """Return the page in a language of the settings, unless the request asks for another one."""
        asked = LANGUAGE_PARAMETER.search(scope.get("query_string", b""))
        return self.page_in(asked[1].decode() if asked else language)

    def page_in(self, language: str) -> CachedResponse:
        """Return the page in a language of the settings, or in English if it isn't built."""
        return self._pages.get(language) or self._pages[ENGLISH]
