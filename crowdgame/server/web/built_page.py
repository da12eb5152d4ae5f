"""Pages that the frontend builds in each language and that the server sends unchanged."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import get_language

from crowdgame.server.web.content_policy import built_page_policy


def built_page(name: str) -> bytes | None:
    """Return the page in the active language, or else in English; None if the frontend isn't built."""
    names = (f"{name}.{get_language()}.html", f"{name}.html")
    page = next((page for page in map(settings.PAGES_DIR.joinpath, names) if page.is_file()), None)
    return _read_page(page) if page else None


def built_page_response(name: str) -> HttpResponse:
    """Answer with the page, whose policy allows only its own resources; 503 if the frontend isn't built."""
    page = built_page(name)
    if page is None:
        return HttpResponse("The frontend is not built.\n", "text/plain", 503)
    return HttpResponse(
        page, headers={"Content-Security-Policy": built_page_policy(page), "Cache-Control": "no-cache"}
    )


@cache
def _read_page(page: Path) -> bytes:
    """Read the page once per process, like the scripts it names.

    A page from a later build would request scripts that this process doesn't serve.
    """
    return page.read_bytes()
