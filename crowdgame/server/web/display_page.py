"""The display page in each language."""

from pathlib import Path
from typing import Any

from crowdgame.server.web.phone_page import LOCALE_PARAMETER, choose_language
from crowdgame.server.web.preloaded_page import ENGLISH, PreloadedPage, load_pages


class DisplayPages:
    """The display page in all built languages. Empty if the frontend isn't built."""

    def __init__(self, folder: Path) -> None:
        self._pages = load_pages(folder, "display", states=0)

    def __bool__(self) -> bool:
        return bool(self._pages)

    def page_for(self, scope: Any, event_language: str) -> PreloadedPage:
        """Return the page in the language of the event; without one, in the language the request prefers.

        The page reloads itself with the `locale` parameter if it turns out to be in another language than the
        event. English stands in for a language that isn't built.
        """
        query = scope.get("query_string", b"")
        if LOCALE_PARAMETER.search(query) or not event_language:
            event_language = choose_language(query, dict(scope["headers"]).get(b"accept-language", b""))
        return self._pages.get(event_language) or self._pages[ENGLISH]
