"""`/brand/lobby-music`: the music of the installation that displays play in the lobby."""

import mimetypes
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@require_safe
def lobby_music(_request: HttpRequest) -> HttpResponse:
    """Serve the file. Answers 404 if the installation has none."""
    if not settings.LOBBY_MUSIC:
        raise Http404
    kind, _encoding = mimetypes.guess_type(settings.LOBBY_MUSIC)
    answer = HttpResponse(Path(settings.LOBBY_MUSIC).read_bytes(), content_type=kind or "audio/mpeg")
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer
