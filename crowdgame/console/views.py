"""The console page of one event."""

from functools import cache
from pathlib import Path

from csp.constants import SELF
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache

from crowdgame.events.access import require_accessible_event
from crowdgame.web.content_policy import built_page_policy


@never_cache
@login_required
def show_console(request: HttpRequest, code: str) -> HttpResponse:
    """Serve the console page built in the person's language, or else in English.

    Answers 404 without access, and 503 if the frontend isn't built.
    """
    event = require_accessible_event(request, code)
    names = (f"console.{get_language()}.html", "console.html")
    page = next((page for page in map(settings.PAGES_DIR.joinpath, names) if page.is_file()), None)
    if page is None:
        return render(request, "console/not_built.html", {"event": event}, status=503)
    body = _read_page(page)
    policy = built_page_policy(body, frame_src=[SELF])  # the miniature of the big screen
    return HttpResponse(body, headers={"Content-Security-Policy": policy})


@cache
def _read_page(page: Path) -> bytes:
    """Read the page once per process, like the scripts it names.

    A page from a later build would request scripts that this process doesn't serve.
    """
    return page.read_bytes()
