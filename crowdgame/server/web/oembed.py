"""`/oembed`: the code with which other sites embed an event. See https://oembed.com."""

import re

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from crowdgame.server.web.hosts import server_url
from voting.models import Event
from voting.typed_codes import normalize_code

WIDTH, HEIGHT = 960, 540
EVENT_PATH = re.compile(r"/(?:(?:display|embed)/)?([A-Za-z0-9]{4,16})/?(?:[?#].*)?")
LIMIT = re.compile(r"[1-9][0-9]{0,4}")
FRAME = (
    '<iframe src="{}/embed/{}" title="{}" width="{}" height="{}" style="border:0" '
    'allow="autoplay; fullscreen; screen-wake-lock"></iframe>'
)


@require_safe
def oembed(request: HttpRequest) -> HttpResponse:
    """Answer 404 unless sites may embed the event at `url`, and 501 for another format than JSON."""
    if request.GET.get("format", "json") != "json":
        return HttpResponse(status=501)
    site = server_url(request)
    found = EVENT_PATH.fullmatch(request.GET.get("url", "").removeprefix(site))
    code = normalize_code(found[1]) if found else ""
    event = get_object_or_404(Event.objects.exclude(embed_sites=""), code=code)
    scale = min(1, _limit(request, "maxwidth", WIDTH), _limit(request, "maxheight", HEIGHT))
    width, height = round(WIDTH * scale), round(HEIGHT * scale)
    answer = {
        "version": "1.0",
        "type": "rich",
        "title": event.name,
        "provider_name": "Crowdgame",
        "provider_url": site,
        "html": format_html(FRAME, site, event.code, event.name, width, height),
        "width": width,
        "height": height,
    }
    return JsonResponse(answer)


def oembed_address(request: HttpRequest, event: Event) -> str:
    """Return the address of the code for the event, or an empty string if no site may embed it."""
    site = server_url(request)
    query = urlencode({"url": f"{site}/{event.code}", "format": "json"})
    return f"{site}{reverse('oembed')}?{query}" if event.embed_sites else ""


def _limit(request: HttpRequest, name: str, size: int) -> float:
    """Return the share of a size that the consumer has space for."""
    asked = request.GET.get(name, "")
    return int(asked) / size if LIMIT.fullmatch(asked) else 1
