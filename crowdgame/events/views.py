"""The organizer's pages: log in, my events, edit, delete, and the door of the control room."""

from functools import cache
from pathlib import Path
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from crowdgame.accounts.sign_in import find_entrant, spend_link
from crowdgame.cups.views import listed_cups
from crowdgame.events.edits import keep_edit, tell_screens
from crowdgame.events.forms import EventForm
from crowdgame.events.rights import role_of
from crowdgame.reports.study import studied_matches
from crowdgame.web.content_policy import content_security_policy
from games.matches import changing_event
from games.models import Admission, Event, Match, MatchState, Member
from voting.admission.admission import projector_key

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"  # noqa: S105  a class, no password


def events_of(user: User) -> QuerySet[Event]:
    """What this organizer may enter: their own and where they are a member, a superuser everyone's."""
    if user.is_superuser:
        return Event.objects.all()
    member = Member.objects.filter(event=OuterRef("pk"), user=user)
    return Event.objects.filter(Q(owner=user) | Q(Exists(member)))


def own_event(request: HttpRequest, code: str) -> Event:
    """Raises Http404 also if it is somebody else's."""
    event = entered_event(request, code)
    if role_of(cast(User, request.user), event.pk) != "owner":
        raise Http404
    return event


def entered_event(request: HttpRequest, code: str) -> Event:
    """One whose control room they may enter, as whatever. Raises Http404 if there is none."""
    return get_object_or_404(events_of(cast(User, request.user)), code=code.upper())


@login_required
def list_events(request: HttpRequest) -> HttpResponse:
    playing = Match.objects.filter(event=OuterRef("pk"), state=MatchState.PLAYING)
    over = Match.objects.filter(state=MatchState.ENDED).order_by("number")
    user = cast(User, request.user)
    events = events_of(user).annotate(playing=Exists(playing))
    events = events.exclude(cup_pairing__cup__owner=user)  # those are on the page of their cup
    events = events.select_related("owner").order_by("-created_at")
    events = events.prefetch_related("teams", Prefetch("matches", over, to_attr="over"))
    shown = [(event, _projector_fragment(event, user)) for event in events]
    return render(request, "console/events.html", {"events": shown, "cups": listed_cups(user)})


def _projector_fragment(event: Event, user: User) -> str:
    """What lets the projector show codes, where it has to: in no log, since no browser sends it."""
    shows = event.admission == Admission.ROTATING and role_of(user, event.pk) != "viewer"
    return f"#{projector_key(event.code)}" if shows else ""


@login_required
@require_http_methods(["GET", "POST"])
def change_event(request: HttpRequest, code: str) -> HttpResponse:
    event = own_event(request, code)
    form = EventForm(request.POST or None, instance=event)
    if form.is_valid() and form.save_changes():
        if form.changes:
            keep_edit(request, event, "event.edit", f"changed {form.changes}")
        if tell_screens(request, event):
            text = "Saved. The game and the vote change with the next match, the rest at once."
            messages.success(request, text)
        if lacks_tickets(event):
            return redirect("console:tickets", code=event.code)
        return redirect("console:events")
    context = {"form": form, "event": event, "studied": studied_matches(event).count()}
    return render(request, "console/event.html", context)


def lacks_tickets(event: Event) -> bool:
    """Nobody could come in."""
    return event.admission in {Admission.TICKETS, Admission.ROSTER} and not event.tickets.exists()


@login_required
@require_http_methods(["GET", "POST"])
def delete_event(request: HttpRequest, code: str) -> HttpResponse:
    event = own_event(request, code)
    if request.method == "POST" and _delete_unless_playing(event):
        messages.success(request, f"“{event.name}” is deleted.")
        return redirect("console:events")
    playing = event.matches.filter(state=MatchState.PLAYING).exists()
    status = 409 if request.method == "POST" else 200
    return render(request, "console/delete.html", {"event": event, "playing": playing}, status=status)


def _delete_unless_playing(event: Event) -> bool:
    """A match that starts at the same moment is there first, or finds no event."""
    try:
        with changing_event(event.pk) as held:
            playing = held.matches.filter(state=MatchState.PLAYING).exists()
            if not playing:
                held.delete()
    except Event.DoesNotExist:
        raise Http404 from None  # pressed twice
    return not playing


@never_cache
@login_required
def control_room(request: HttpRequest, code: str) -> HttpResponse:
    event = entered_event(request, code)
    page = settings.PAGES_DIR / "console.html"
    if not page.is_file():
        return render(request, "console/not_built.html", {"event": event}, status=503)
    body = _read_page(page)
    return HttpResponse(body, headers={"Content-Security-Policy": content_security_policy(body)})


@cache
def _read_page(page: Path) -> bytes:
    """Read once, as the scripts it names are: a page built meanwhile would ask for scripts not served yet."""
    return page.read_bytes()


@never_cache
@require_http_methods(["GET", "POST"])
def enter(request: HttpRequest, uid: str, token: str, code: str = "") -> HttpResponse:
    """A page with a button: those who merely look at the link (previews, scanners) do not spend it."""
    user = find_entrant(uid, token)
    if user and request.method == "POST" and spend_link(user):
        login(request, user, backend=PASSWORD_BACKEND)
        return redirect("console:room", code=code) if code else redirect("console:events")
    status = 200 if user and request.method == "GET" else 410
    return render(request, "console/enter.html", {"entrant": user}, status=status)
