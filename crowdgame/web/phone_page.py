"""The phone's page in each language: as it was built, or with what the event's gateway can tell already."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from crowdgame.web.answers import Answer, page_from
from crowdgame.web.locale import tongue_of
from crowdgame.web.open_ended import Press
from voting.gateway.page_preload import Told

ENGLISH = "en"
TOLD, END = b'<script type="application/json" id="told">', b"</script>"
STATES_KEPT = 50


class PhonePage:
    """In one language."""

    def __init__(self, path: Path, varies: bytes) -> None:
        self._blank = page_from(path, varies)
        self._headers = [
            (name, b"no-store" if name == b"cache-control" else value) for name, value in self._blank.headers
        ]
        self._with_state = lru_cache(STATES_KEPT)(Press(self._blank.body + TOLD).beginning)

    def telling(self, told: Told | None) -> Answer:
        if told is None:
            return self._blank
        begun, rest = self._with_state(told.state), told.own + END
        return Answer(self._headers, begun.plain + rest, begun.ended(rest))


class PhonePages:
    """One a language, the one for everybody first; none if the front end is not built."""

    def __init__(self, folder: Path) -> None:
        others = {path.suffixes[0][1:]: path for path in sorted(folder.glob("phone.??.html"))}
        built = {ENGLISH: folder / "phone.html", **others}
        varies = b"accept-encoding, accept-language" if others else b"accept-encoding"
        self._pages = {tongue: PhonePage(path, varies) for tongue, path in built.items() if path.is_file()}

    def __bool__(self) -> bool:
        return bool(self._pages)

    def page_for(self, scope: Any) -> PhonePage:
        """In the language that is understood best."""
        accepted = dict(scope["headers"]).get(b"accept-language", b"")
        return self._pages[tongue_of(scope.get("query_string", b""), accepted, tuple(self._pages))]
