"""Console pages: the organizer's list of events, and the console of one event."""

from functools import cache
from pathlib import Path
from typing import cast

from csp.constants import SELF
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache

from crowdgame.cups.views import listed_cups
from crowdgame.events.access import require_accessible_event, visible_events
from crowdgame.events.models import Member
from crowdgame.events.presets import EMPTY_PRESET, PRESETS
from crowdgame.web.content_policy import built_page_policy
from voting.admission.admission import projector_key
from voting.models import Event, Match
from voting.protocol import Role
from voting.terms import MatchState

EVENTS_PER_PAGE, CUPS_PER_PAGE, REPORTS_SHOWN = 20, 10, 10


@login_required
def list_events(request: HttpRequest) -> HttpResponse:
    """List the events the user owns or is a member of, except duels and the events of the user's own cups."""
    user = cast(User, request.user)
    events = Paginator(_listed_events(user), EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    cups = Paginator(listed_cups(user), CUPS_PER_PAGE).get_page(request.GET.get("cups"))
    shown = [(event, _projector_fragment(event, user)) for event in events]
    return render(
        request,
        "console/events.html",
        {"events": shown, "page": events, "cups": cups, "presets": PRESETS, "empty": EMPTY_PRESET},
    )


def _listed_events(user: User) -> QuerySet[Event]:
    """Return the events with what the list shows of their matches, the latest event first."""
    matches = Match.objects.filter(event=OuterRef("pk"))
    over = Match.objects.filter(state=MatchState.ENDED).order_by("-number")
    count = matches.filter(state=MatchState.ENDED).values("event").annotate(count=Count("pk"))
    watched = Member.objects.filter(event=OuterRef("pk"), user=user, role=Role.VIEWER)
    events = visible_events(user).filter(is_duel=False)
    events = events.exclude(cup_pairing__cup__owner=user)  # those are on the page of their cup
    events = events.annotate(
        playing=Exists(matches.filter(state=MatchState.PLAYING)),
        over=Subquery(count.values("count")),
        watched=Exists(watched),
    )
    events = events.select_related("owner").order_by("-created_at", "-pk")
    return events.prefetch_related("teams", Prefetch("matches", over[:REPORTS_SHOWN], to_attr="reported"))


def _projector_fragment(event: Event, user: User) -> str:
    """URL fragment with the display key, or an empty string for a viewer.

    Browsers don't send fragments to servers, so the key appears in no access log.
    """
    runs = user.is_superuser or event.owner_id == user.pk or not event.watched  # type: ignore[attr-defined]
    return f"#{projector_key(event.code, event.display_key_version)}" if runs else ""


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
