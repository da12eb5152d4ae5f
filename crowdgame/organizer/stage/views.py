"""`/stage/CODE`: an event's or a cup's big screen. No login, no cookie.

The page asks every few seconds what to show, and shows it in a frame. It sends its key, which only an
organizer's link has, in a header. The key is the event's display key, or one made in the same way for the
cup. With it, the reply contains the display key of the pairing. A wrong key is refused.
"""

import time
from dataclasses import dataclass
from typing import Any

from csp.constants import SELF
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import override
from django.views.decorators.http import conditional_page, require_safe

from crowdgame.organizer.cups.cups import load_cup_progress
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.stage.program import Program, cup_program, event_program
from crowdgame.server.web.content_policy import strict_policy
from crowdgame.server.web.hosts import server_url
from voting.admission.admission import is_projector_key, projector_key
from voting.admission.links import display_address, qr_path
from voting.models import Event

KEY_HEADER = "Stage-Key"
FRESH_S = 1.0
CACHE_SIZE = 64
POLICY = strict_policy(
    {
        "style-src": [SELF],
        "script-src": [SELF],
        "connect-src": [SELF],
        "frame-src": [SELF],
        "img-src": ["data:"],
    }
)
_cache: dict[str, tuple[float, "Staged"]] = {}


@dataclass(frozen=True, slots=True)
class Staged:
    """What a code stands for, and its current program."""

    item: Event | Cup
    program: Program

    def accepts(self, key: str) -> bool:
        return is_projector_key(self.item.code, self.item.display_key_version, key)


@require_safe
def stage(request: HttpRequest, code: str) -> HttpResponse:
    """The page, in the language of the event or cup."""
    item = _load_staged(code).item
    with override(item.language):
        answer = render(request, "stage/stage.html", {"item": item})
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@conditional_page
@require_safe
def current_program(request: HttpRequest, code: str) -> HttpResponse:
    """What the page has to show, as JSON. Unchanged replies are answered with status 304."""
    staged, key = _load_staged(code), request.headers.get(KEY_HEADER)
    if key is not None and not staged.accepts(key):
        return HttpResponse(status=403)
    answer = JsonResponse(_program_fields(staged, has_key=key is not None, server=server_url(request)))
    answer.headers["Cache-Control"] = "public, no-cache" if key is None else "private, no-cache"
    patch_vary_headers(answer, [KEY_HEADER])
    return answer


def _program_fields(staged: Staged, *, has_key: bool, server: str) -> dict[str, Any]:
    page, event, report = staged.program.page, staged.program.event, staged.program.report
    if event is None:
        path = f"/stage/{staged.item.code}/podium" if page == "podium" else f"/cup/{staged.item.code}?stage"
        return {"page": page, "path": path, "key": None, "report": None}
    key = projector_key(event.code, event.display_key_version) if has_key else None
    offered = _report_fields(f"{server}/report/{event.code}/{report}") if report else None
    return {"page": page, "path": f"/display/{event.code}", "key": key, "report": offered}


def _report_fields(address: str) -> dict[str, Any]:
    size, path = qr_path(address.upper())
    return {"address": display_address(address), "size": size, "qr": path}


def _load_staged(code: str) -> Staged:
    """Raises Http404 for an unknown code. Cached for FRESH_S."""
    loaded_at, staged = _cache.get(code, (0.0, None))
    if staged is None or time.monotonic() - loaded_at >= FRESH_S:
        staged = _read_staged(code)
        while len(_cache) >= CACHE_SIZE:
            _cache.pop(next(iter(_cache)), None)
        _cache[code] = time.monotonic(), staged
    return staged


def _read_staged(code: str) -> Staged:
    now = time.time_ns() // 1_000_000
    if event := Event.objects.filter(code=code).first():
        return Staged(event, event_program(event, event.matches.order_by("-number").first(), now))
    if cup := Cup.objects.filter(code=code).first():
        return Staged(cup, cup_program(load_cup_progress(cup), now))
    raise Http404
