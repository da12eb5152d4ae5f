"""`/privacy`: the public privacy policy: which data is kept, for how long, and who can see it.

It names only what the settings of this server make it store. `/privacy/CODE` adds the consent text of an
event.
"""

from csp.constants import SELF
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from crowdgame.server.web.content_policy import strict_policy
from voting.models import Event
from voting.terms import MatchState

# The page's only script is its print button, and it makes no external requests.
POLICY = strict_policy({"style-src": [SELF], "script-src": [SELF], "img-src": ["data:"]})
CACHE_MAX_AGE_S = 300


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    return _render(request, {})


@require_safe
def event_privacy(request: HttpRequest, code: str) -> HttpResponse:
    """The page with the text that voters of this event agree to, if they are asked."""
    event = get_object_or_404(Event, code=code)
    terms = event.matches.filter(state=MatchState.PLAYING).first() or event
    return _render(request, {"event": event, "terms": terms})


def _render(request: HttpRequest, shown: dict[str, object]) -> HttpResponse:
    context = shown | {
        "days": settings.RETENTION_DAYS,
        "chat_days": settings.CHAT_DAYS,
        "duel_days": settings.DUEL_DAYS,
        "sends_mail": settings.EMAIL_ENABLED,
        "sends_pushes": settings.PUSH_ENABLED,
        "oidc_name": settings.OIDC_NAME,
        "session_hours": settings.SESSION_COOKIE_AGE // 3600,
        "guest_days": settings.GUEST_COOKIE_AGE // (24 * 3600),
    }
    answer = render(request, "privacy.html", context)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    return answer
