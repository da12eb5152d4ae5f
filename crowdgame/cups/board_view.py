"""`/cup/CODE`: the public board of a cup, for the big screen and for phones. No login, no cookie.

Clients poll it every few seconds. The page is rendered at most once a second, and an ETag answers unchanged
polls with status 304.
"""

import hashlib
import time

from csp.constants import SELF
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe

from crowdgame.cups.cup_view import CupView, view_cup
from crowdgame.cups.cups import load_cup_progress
from crowdgame.cups.models import Cup
from crowdgame.web.content_policy import strict_policy
from crowdgame.web.hosts import server_url
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
    }
)
_cache: dict[tuple[str, str], tuple[float, str]] = {}


@require_safe
def cup_board(request: HttpRequest, code: str) -> HttpResponse:
    address = f"{server_url(request)}/cup/{code}"
    chosen = get_language() if settings.LANGUAGE_COOKIE_NAME in request.COOKIES else ""
    page = _cached_page(code, address, chosen)
    if not page:
        raise Http404
    tag = f'"{hashlib.sha256(page.encode()).hexdigest()[:20]}"'
    same = request.headers.get("If-None-Match", "").removeprefix("W/") == tag
    answer = HttpResponse(status=304) if same else HttpResponse(page)
    answer.headers["ETag"] = tag
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _cached_page(code: str, address: str, language: str) -> str:
    """Return the page, empty if there is no such cup.

    In the cup's language, if `language` is empty. Cached by address and language for half of CACHE_MAX_AGE_S.
    """
    key = address, language
    made_at, page = _cache.get(key, (0.0, ""))
    if page and time.monotonic() - made_at < CACHE_MAX_AGE_S / 2:
        return page
    cup = Cup.objects.filter(code=code).first()
    if cup is None:
        _cache.pop(key, None)
        return ""
    with override(language or cup.language):
        page = _render(cup, address)
    while len(_cache) >= CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[key] = time.monotonic(), page
    return page


def content_version(view: CupView) -> str:
    """Return a hash of the view: differs as soon as the page shows something else."""
    return hashlib.sha256(repr(view).encode()).hexdigest()[:16]


def _render(cup: Cup, address: str) -> str:
    view = view_cup(load_cup_progress(cup))
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
