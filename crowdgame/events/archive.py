"""Archived events: out of the way in the list of events, otherwise unchanged. Restoring reverts it."""

from contextlib import suppress

from django.contrib import messages
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from crowdgame.events.access import owner_page
from crowdgame.events.models import ArchivedEvent
from voting.matches import locked_event
from voting.models import Event, Match
from voting.terms import MatchState

_LIVE_MATCHES = Match.objects.filter(event=OuterRef("pk"), state=MatchState.PLAYING)
RUNNING_EVENTS = Q(Exists(_LIVE_MATCHES)) | Q(next_match_at__isnull=False)
ARCHIVED_EVENTS = Q(archived__isnull=False) & ~RUNNING_EVENTS


def archive_unless_running(event_id: int) -> bool:
    """Archive the event, unless a match is live or scheduled. Return whether it is archived."""
    with suppress(Event.DoesNotExist), locked_event(event_id):
        if not Event.objects.filter(RUNNING_EVENTS, pk=event_id).exists():
            ArchivedEvent.objects.get_or_create(event_id=event_id)
            return True
    return False


@owner_page("POST")
def archive_event(request: HttpRequest, event: Event) -> HttpResponse:
    if archive_unless_running(event.pk):
        undo = reverse("console:restore", args=[event.code])
        messages.success(request, _("“%(name)s” archived.") % {"name": event.name}, extra_tags=undo)
    else:
        messages.warning(request, _("A match is live or about to start. Archive the event after it."))
    return redirect_to_list(request)


@owner_page("POST")
def restore_event(request: HttpRequest, event: Event) -> HttpResponse:
    ArchivedEvent.objects.filter(event=event).delete()
    messages.success(request, _("“%(name)s” is back in your events.") % {"name": event.name})
    return redirect_to_list(request)


def redirect_to_list(request: HttpRequest) -> HttpResponse:
    """Redirect to the list of events, with the same search and page."""
    return redirect(f"{reverse('console:events')}?{request.GET.urlencode()}")
