"""`/accessibility`: what the pages do for people with disabilities, and where they fall short."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from crowdgame.server.web.privacy import CACHE_MAX_AGE_S, POLICY


@require_safe
def accessibility(request: HttpRequest) -> HttpResponse:
    answer = render(request, "accessibility.html")
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    return answer
