"""Console pages to edit and delete an event, and to download the votes of a study."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override
from django.views.decorators.http import require_safe

from crowdgame.events.access import owner_page, require_accessible_event
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import announce_page_edit, delete_unless_playing, log_edit
from crowdgame.events.forms import EventForm
from crowdgame.events.sharing import SharingForm
from crowdgame.results.reports.study import studied_matches, study_rows
from crowdgame.results.reports.views import render_event_file
from crowdgame.server.web.hosts import server_url
from crowdgame.server.web.spreadsheet import csv_response
from voting.models import Event
from voting.terms import Admission, MatchState


@owner_page("GET", "POST")
def change_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Edit an event: save, write the audit log and announce the edit."""
    form = EventForm(request.POST or None, instance=event)
    sharing = SharingForm(cast(User, request.user), request.POST, event)
    if form.is_valid() and sharing.is_valid() and form.save_changes():
        sharing.apply(event)
        if changes := form.changes:
            what = LogText(gettext_noop("%(by)s changed: %(changes)s"), {"changes": changes})
            log_edit(request, event, "event.edit", what)
        if announce_page_edit(request, event):
            text = _("Saved. Changes to the game and the vote apply from the next match, all others now.")
            messages.success(request, text)
        if needs_tickets(event):
            return redirect("console:tickets", code=event.code)
        return redirect("console:events")
    context = {"form": form, "event": event, "sharing": sharing}
    return render(request, "events/event.html", context | {"studied": studied_matches(event).count()})


def needs_tickets(event: Event) -> bool:
    """Whether nobody can join: the event requires tickets or a roster, and has no tickets."""
    return event.admission in {Admission.TICKETS, Admission.ROSTER} and not event.tickets.exists()


def has_solo(event: Event) -> bool:
    """Whether one of the teams is a single person, who joins with a ticket."""
    return event.teams.filter(solo=True).exists()


@owner_page("GET", "POST")
def delete_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Delete an event after confirmation. Answers 409 while a match is live."""
    if request.method == "POST" and delete_unless_playing(event.pk):
        messages.success(request, _("“%(name)s” was deleted.") % {"name": event.name})
        return redirect("console:events")
    playing = event.matches.filter(state=MatchState.PLAYING).exists()
    status = 409 if request.method == "POST" else 200
    return render(request, "events/delete.html", {"event": event, "playing": playing}, status=status)


@login_required
@require_safe
def download_report(request: HttpRequest, code: str) -> HttpResponse:
    """Answer with the reports of all ended matches, as one file in the event's language."""
    event = require_accessible_event(request, code)
    with override(event.language):
        answer = HttpResponse(render_event_file(event, server_url(request)))
    answer.headers["Content-Disposition"] = f'attachment; filename="{event.code}.html"'
    return answer


@owner_page("GET")
def download_study(request: HttpRequest, event: Event) -> HttpResponse:
    return csv_response(f"study-{event.code}", study_rows(event))
