"""The public pages of a cup: its board `/cup/CODE`, for the big screen and for phones, and its podium.

They need no login and no cookie, and the stage may frame them. Clients poll them every few seconds. A page
is rendered at most once a second, and an ETag answers unchanged polls with status 304.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from csp.constants import SELF
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language, override
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from crowdgame.organizer.cups.cup_view import CupView, view_cup
from crowdgame.organizer.cups.cups import load_cup_progress
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.podium import podium
from crowdgame.server.web.content_policy import strict_policy
from crowdgame.server.web.hosts import server_url
from voting.admission.links import display_address, qr_path

CACHE_MAX_AGE_S = 2
CACHE_SIZE = 16
POLICY = strict_policy(
    {
        "style-src": [SELF],
        "script-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "frame-ancestors": [SELF],
    }
)
# (cup, server's address) -> the page in the active language, or an empty string
Render = Callable[[Cup, str], str]
_cache: dict[tuple[str, str, Render, str], tuple[float, str]] = {}


@require_safe
@xframe_options_sameorigin
def cup_board(request: HttpRequest, code: str) -> HttpResponse:
    """The board, on a stage in the language of the cup, otherwise in the reader's."""
    chosen = settings.LANGUAGE_COOKIE_NAME in request.COOKIES and "stage" not in request.GET
    return _respond(request, code, _render_board, get_language() if chosen else "")


@require_safe
@xframe_options_sameorigin
def cup_podium(request: HttpRequest, code: str) -> HttpResponse:
    """The podium of a cup that is over, in the cup's language. Answers 404 before."""
    return _respond(request, code, _render_podium)


def _respond(request: HttpRequest, code: str, render: Render, language: str = "") -> HttpResponse:
    page = _cached_page(code, server_url(request), render, language)
    if not page:
        raise Http404
    tag = f'"{hashlib.sha256(page.encode()).hexdigest()[:20]}"'
    same = request.headers.get("If-None-Match", "").removeprefix("W/") == tag
    answer = HttpResponse(status=304) if same else HttpResponse(page)
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _cached_page(code: str, server: str, render: Render, language: str) -> str:
    """Return the page, empty if there is no such cup or no page of it.

    In the cup's language, if `language` is empty. Cached for half of CACHE_MAX_AGE_S.
    """
    key = code, server, render, language
    made_at, page = _cache.get(key, (0.0, ""))
    if page and time.monotonic() - made_at < CACHE_MAX_AGE_S / 2:
        return page
    _cache.pop(key, None)
    cup = Cup.objects.filter(code=code).first()
    if cup is None:
        return ""
    with override(language or cup.language):
        page = render(cup, server)
    while len(_cache) >= CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[key] = time.monotonic(), page
    return page


def content_version(view: CupView) -> str:
    """Return a hash of the view: differs as soon as the page shows something else."""
    return hashlib.sha256(repr(view).encode()).hexdigest()[:16]


def _render_board(cup: Cup, server: str) -> str:
    view = view_cup(load_cup_progress(cup))
    address = f"{server}/cup/{cup.code}"
    size, path = qr_path(address.upper())
    context = {
        "cup": cup,
        "view": view,
        "version": content_version(view),
        "host": display_address(address).partition("/")[0],
        "qr": path,
        "qr_size": size,
    }
    return render_to_string("cups/board.html", context)


def _screen_fonts() -> Iterator[Path]:
    """Yield the files of the display's heavy font, without those of scripts that few names have."""
    return (settings.PAGES_DIR / "static/app").glob("barlow-condensed-latin*-800-normal-*.woff2")


def _render_podium(cup: Cup, server: str) -> str:
    progress = load_cup_progress(cup)
    view, places = view_cup(progress), podium(progress)
    if not places:
        return ""
    final = view.rounds[-1].cards[-1] if view.side else None
    report = f"/report/{final.code}/{final.reports[-1]}" if final and final.reports else ""
    size, path = qr_path(f"{server}{report or f'/cup/{cup.code}'}".upper())
    context = {
        "cup": cup,
        "places": places,
        "side": view.side,
        "version": content_version(view),
        "report": report,
        "qr": path,
        "qr_size": size,
        "fonts": " ".join(f"{settings.STATIC_URL}app/{font.name}" for font in _screen_fonts()),
    }
    return render_to_string("cups/podium.html", context)
