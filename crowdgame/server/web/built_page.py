"""Pages that the frontend builds in each language and that the server sends unchanged."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import get_language


def built_page(name: str) -> bytes | None:
    """Return the page in the active language, or else in English; None if the frontend isn't built."""
    names = (f"{name}.{get_language()}.html", f"{name}.html")
    page = next((page for page in map(settings.PAGES_DIR.joinpath, names) if page.is_file()), None)
    return _read_page(page) if page else None


@cache
def _read_page(page: Path) -> bytes:
    """Read the page once per process, like the scripts it names.

    A page from a later build would request scripts that this process doesn't serve.
    """
    return page.read_bytes()
