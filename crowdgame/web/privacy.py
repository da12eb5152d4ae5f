"""`/privacy`: the public privacy policy: which data is kept, for how long, and who can see it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

# The page has one stylesheet, no script and no external requests.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
CACHE_MAX_AGE_S = 300


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    context = {
        "days": settings.RETENTION_DAYS,
        "chat_days": settings.CHAT_DAYS,
        "duel_days": settings.DUEL_DAYS,
    }
    answer = render(request, "privacy.html", context)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    return answer
