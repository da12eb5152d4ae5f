"""*My events*: an organizer's events and cups, with search, dates and an archive."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowdgame.events.access import own_events
from crowdgame.events.archive import ARCHIVED_EVENTS
from crowdgame.events.models import Member, OrganizationMember
from crowdgame.events.permissions import strongest_role
from crowdgame.events.presets import EMPTY_PRESET, PRESETS
from crowdgame.organizer.cups.archive import ARCHIVED_CUPS
from crowdgame.organizer.cups.models import Cup, CupTeam
from voting.admission.admission import projector_key
from voting.models import Event, Match, Team
from voting.protocol import Role
from voting.terms import MatchState
from voting.typed_codes import normalize_code

EVENTS_PER_PAGE, CUPS_PER_PAGE, REPORTS_SHOWN = 20, 10, 10
MAX_QUERY_LENGTH = 80


@dataclass(frozen=True, slots=True)
class EventLine:
    """An event in the list.

    `fragment` is the URL fragment with the display key, empty for a viewer. Browsers don't send fragments to
    servers, so the key appears in no access log.
    """

    event: Event
    role: Role
    fragment: str
    last_match: datetime | None
    next_match: datetime | None


@login_required
def list_events(request: HttpRequest) -> HttpResponse:
    """List the events that the user owns or is a member of, and the user's cups: live ones, then the latest.

    Lists no duels; the events of the user's own cups are on the pages of these cups. `?q=` searches names,
    teams and codes, `?show=archived` lists the archive.
    """
    user = cast(User, request.user)
    query = request.GET.get("q", "").strip()[:MAX_QUERY_LENGTH]
    archived = request.GET.get("show") == "archived"
    events = _search(_own_events(user), query, Team.objects.filter(event=OuterRef("pk")))
    cups = _search(_own_cups(user), query, CupTeam.objects.filter(cup=OuterRef("pk")))
    events = _with_matches(events.filter(ARCHIVED_EVENTS if archived else ~ARCHIVED_EVENTS), user)
    cups = cups.filter(ARCHIVED_CUPS if archived else ~ARCHIVED_CUPS)
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    cup_page = Paginator(cups, CUPS_PER_PAGE).get_page(request.GET.get("cups"))
    context = {
        "events": [_line(event, user) for event in page],
        "page": page,
        "cups": cup_page,
        "q": query,
        "archived": archived,
        "presets": PRESETS,
        "empty": EMPTY_PRESET,
        "is_new": not (page or cup_page or query or archived or _has_events(user)),
    }
    return render(request, "console/events.html", context)


def _own_events(user: User) -> QuerySet[Event]:
    return own_events(user).filter(fixed_players=False).exclude(cup_pairing__cup__owner=user)


def _own_cups(user: User) -> QuerySet[Cup]:
    """Return the user's cups with their numbers of teams (`of`) and events (`held`)."""
    counted = user.cups.annotate(
        of=Count("teams", distinct=True), held=Count("pairings__event", distinct=True)
    )
    return counted.order_by("-pk")


def _has_events(user: User) -> bool:
    return _own_events(user).exists() or user.cups.exists()


def _search(rows: QuerySet[Any], query: str, teams: QuerySet[Any]) -> QuerySet[Any]:
    if not query:
        return rows
    named = Q(name__icontains=query) | Exists(teams.filter(name__icontains=query))
    return rows.filter(named | Q(code__contains=normalize_code(query) or query))


def _with_matches(events: QuerySet[Event], user: User) -> QuerySet[Event]:
    """Add what the list shows of the events' matches, and order the events."""
    matches = Match.objects.filter(event=OuterRef("pk"))
    ended = Q(state=MatchState.ENDED, rehearsed=False)
    over = Match.objects.filter(ended).order_by("-number")
    count = matches.filter(ended).values("event").annotate(count=Count("pk"))
    own = Member.objects.filter(event=OuterRef("pk"), user=user)
    shared = OrganizationMember.objects.filter(organization__shared_events__event=OuterRef("pk"), user=user)
    events = events.annotate(
        playing=Exists(matches.filter(state=MatchState.PLAYING)),
        over=Subquery(count.values("count")),
        own_role=Subquery(own.values("role")),
        shared_role=Subquery(shared.values("role")),
    )
    events = events.select_related("owner", "shared__organization").order_by("-playing", "-created_at", "-pk")
    teams = Team.objects.order_by("number")
    return events.prefetch_related(
        Prefetch("teams", teams), Prefetch("matches", over[:REPORTS_SHOWN], to_attr="reported")
    )


def _line(event: Event, user: User) -> EventLine:
    owned = Role.OWNER if event.owner_id == user.pk else None
    listed = vars(event)
    role = strongest_role((owned, listed["own_role"], listed["shared_role"]))
    last = next(iter(listed["reported"]), None)
    return EventLine(
        event=event,
        role=role or Role.VIEWER,
        fragment=f"#{projector_key(event.code, event.display_key_version)}" if role != Role.VIEWER else "",
        last_match=_read_time(last and last.ended_at),
        next_match=_read_time(event.next_match_at),
    )


def _read_time(ms: int | None) -> datetime | None:
    return datetime.fromtimestamp(ms / 1000, UTC) if ms else None
