"""Console page of the team discussion: organizers read both teams, remove suggestions and mute voters."""

from contextlib import closing
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from redis import RedisError

from crowdgame.events.access import require_accessible_event
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import log_edit
from crowdgame.events.permissions import OrganizerAccess, role_at_event
from crowdgame.organizer.console.control import perform
from crowdgame.play.chat.models import MarkKind, Suggestion
from crowdgame.play.chat.suggestions import remove_suggestion
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Event, StoredRestriction
from voting.protocol import ActionAsk

PER_PAGE, MAX_ID_DIGITS = 50, 19
ACTIONS_HERE = {"discussion.start", "discussion.stop", "voter.mute", "voter.unmute"}


@login_required
def show_discussion(request: HttpRequest, code: str) -> HttpResponse:
    """List the suggestions, reported ones first. Answers 404 to those who may not run the event."""
    event, user = require_accessible_event(request, code), cast(User, request.user)
    role = role_at_event(user, event.pk)
    who = OrganizerAccess(user.get_username(), role, user.pk) if role else None
    if who is None or not who.may("run"):
        raise Http404
    if request.method == "POST":
        _handle_post(request, event, who)
        return redirect(request.get_full_path())
    reports = Count("marks", filter=Q(marks__kind=MarkKind.REPORT))
    rows = Suggestion.objects.filter(room__event=event, removed=False).annotate(reports=reports)
    rows = rows.select_related("room", "turn__match").order_by("-reports", "-pk")
    muted = StoredRestriction.objects.filter(event=event, muted=True).values_list("voter_code", flat=True)
    page = {
        "event": event,
        "teams": dict(event.teams.values_list("number", "name")),
        "shown": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "muted": set(muted),
    }
    return render(request, "console/discussion.html", page)


def _handle_post(request: HttpRequest, event: Event, who: OrganizerAccess) -> None:
    asked, number = request.POST.get("ask", ""), request.POST.get("suggestion", "")
    if asked in ACTIONS_HERE:
        message = ActionAsk(id=1, action=asked, voter_code=request.POST.get("voter_code"))
        try:
            with closing(BallotBox()) as box:
                perform(who, event.pk, message, box)
        except MatchError as refusal:
            messages.warning(request, str(refusal))
        except (RedisError, OSError):
            messages.warning(request, _("The server is busy. Try again."))
    elif number.isdecimal() and len(number) < MAX_ID_DIGITS:
        found = Suggestion.objects.select_related("room").filter(pk=number, room__event=event).first()
        if found and remove_suggestion(found):
            what = LogText(
                gettext_noop("%(by)s removed a suggestion by %(voter)s"), {"voter": found.voter_code}
            )
            log_edit(request, event, "suggestion.remove", what)
