"""The console page of one event."""

from csp.constants import SELF
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowdgame.events.access import require_accessible_event
from crowdgame.server.web.built_page import built_page
from crowdgame.server.web.content_policy import built_page_policy


@login_required
def show_console(request: HttpRequest, code: str) -> HttpResponse:
    """Serve the console page built in the person's language, or else in English.

    Answers 404 without access, and 503 if the frontend isn't built.
    """
    event = require_accessible_event(request, code)
    page = built_page("console")
    if page is None:
        return render(request, "console/not_built.html", {"event": event}, status=503)
    policy = built_page_policy(page, frame_src=[SELF])  # the miniature of the big screen
    return HttpResponse(page, headers={"Content-Security-Policy": policy})
