"""URL patterns under /console/. Each feature adds its own `console_urls.py`."""

from django.urls import include, path

from crowdgame.organizer.console.discussion_page import show_discussion
from crowdgame.organizer.console.event_list import list_events
from crowdgame.organizer.console.views import show_console

app_name = "console"
urlpatterns = [
    path("", list_events, name="events"),
    path("", include("crowdgame.accounts.console_urls")),
    path("", include("crowdgame.organizer.api.console_urls")),
    path("", include("crowdgame.organizer.cups.console_urls")),
    path("", include("crowdgame.events.console_urls")),
    path("<code:code>/", show_console, name="event"),
    path("<code:code>/discussion/", show_discussion, name="discussion"),
]
