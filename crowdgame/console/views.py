"""Console pages: the organizer's list of events, and the console of one event."""

from functools import cache
from pathlib import Path
from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from crowdgame.cups.views import listed_cups
from crowdgame.events.access import require_accessible_event, visible_events
from crowdgame.events.permissions import role_at_event
from crowdgame.web.content_policy import built_page_policy
from games.models import Event, Match, MatchState
from voting.admission.admission import projector_key
from voting.protocol import Role


@login_required
def list_events(request: HttpRequest) -> HttpResponse:
    """List the events the user owns or is a member of, except those of the user's own cups."""
    playing = Match.objects.filter(event=OuterRef("pk"), state=MatchState.PLAYING)
    over = Match.objects.filter(state=MatchState.ENDED).order_by("number")
    user = cast(User, request.user)
    events = visible_events(user).annotate(playing=Exists(playing))
    events = events.exclude(cup_pairing__cup__owner=user)  # those are on the page of their cup
    events = events.select_related("owner").order_by("-created_at")
    events = events.prefetch_related("teams", Prefetch("matches", over, to_attr="over"))
    shown = [(event, _projector_fragment(event, user)) for event in events]
    return render(request, "console/events.html", {"events": shown, "cups": listed_cups(user)})


def _projector_fragment(event: Event, user: User) -> str:
    """URL fragment with the display key, or an empty string for a viewer.

    Browsers don't send fragments to servers, so the key appears in no access log.
    """
    is_viewer = role_at_event(user, event.pk) == Role.VIEWER
    return "" if is_viewer else f"#{projector_key(event.code, event.display_key_version)}"


@never_cache
@login_required
def show_console(request: HttpRequest, code: str) -> HttpResponse:
    """Serve the built console page. Answers 404 without access, and 503 if the frontend isn't built."""
    event = require_accessible_event(request, code)
    page = settings.PAGES_DIR / "console.html"
    if not page.is_file():
        return render(request, "console/not_built.html", {"event": event}, status=503)
    body = _read_page(page)
    return HttpResponse(body, headers={"Content-Security-Policy": built_page_policy(body)})


@cache
def _read_page(page: Path) -> bytes:
    """Read the page once per process, like the scripts it names.

    A page from a later build would request scripts that this process doesn't serve.
    """
    return page.read_bytes()
