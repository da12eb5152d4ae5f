"""A built page, as it is or with the event's state preloaded as embedded JSON."""

from functools import lru_cache
from pathlib import Path

from crowdgame.server.web.cached_responses import CachedResponse, load_page
from crowdgame.server.web.gzip_prefix import PrefixCompressor
from voting.gateway.page_preload import PreloadParts

ENGLISH = "en"
PRELOAD, SCRIPT_END = b'<script type="application/json" id="preload">', b"</script>"


class PreloadedPage:
    """A page in one language. Compressed prefixes of the last `states` event states are cached.

    0 suits a page whose preload differs with each request. `varies` is as in `load_page`.
    """

    def __init__(self, path: Path, varies: str, *, states: int) -> None:
        self._blank = load_page(path, varies)
        self._headers = [
            (name, b"no-store" if name == b"cache-control" else value) for name, value in self._blank.headers
        ]
        self._with_state = lru_cache(states)(PrefixCompressor(self._blank.body + PRELOAD).extend)

    def with_preload(self, preload: PreloadParts | None) -> CachedResponse:
        if preload is None:
            return self._blank
        begun, rest = self._with_state(preload.state), preload.own + SCRIPT_END
        return CachedResponse(self._headers, begun.plain + rest, begun.complete(rest))


def load_pages(folder: Path, name: str, *, states: int) -> dict[str, PreloadedPage]:
    """Read the page `name` in each language built into `folder`. Returns the pages by language code."""
    others = {path.suffixes[0][1:]: path for path in sorted(folder.glob(f"{name}.*.html"))}
    built = {ENGLISH: folder / f"{name}.html", **others}
    varies = "accept-encoding, accept-language" if others else "accept-encoding"
    return {
        code: PreloadedPage(path, varies, states=states) for code, path in built.items() if path.is_file()
    }
