"""A built page, as it is or with the event's state preloaded as embedded JSON."""

from functools import lru_cache
from pathlib import Path

from crowdgame.web.cached_responses import CachedResponse, load_page
from crowdgame.web.gzip_prefix import PrefixCompressor
from voting.gateway.page_preload import PreloadParts

PRELOAD, SCRIPT_END = b'<script type="application/json" id="preload">', b"</script>"


class PreloadedPage:
    """A page in one language. Compressed prefixes of the last `states` event states are cached.

    0 suits a page whose preload differs with each request. `varies` and `framed` are as in `load_page`.
    """

    def __init__(self, path: Path, varies: str, *, states: int, framed: bool = False) -> None:
        self._blank = load_page(path, varies, framed=framed)
        self._headers = [
            (name, b"no-store" if name == b"cache-control" else value) for name, value in self._blank.headers
        ]
        self._with_state = lru_cache(states)(PrefixCompressor(self._blank.body + PRELOAD).extend)

    def with_preload(self, preload: PreloadParts | None) -> CachedResponse:
        if preload is None:
            return self._blank
        begun, rest = self._with_state(preload.state), preload.own + SCRIPT_END
        return CachedResponse(self._headers, begun.plain + rest, begun.complete(rest))
