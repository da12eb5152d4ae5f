"""Root URL configuration. Each feature includes its own `urls.py`."""

from django.contrib import admin
from django.urls import include, path

from crowdgame.accounts.lockout import LockoutLoginView
from crowdgame.web import converters  # noqa: F401  registers the converter for codes
from crowdgame.web.privacy import privacy

admin.autodiscover()  # here, so that only processes that serve pages load the admin modules

urlpatterns = [
    path("console/", include("crowdgame.console.urls")),
    path("", include("crowdgame.reports.urls")),
    path("", include("crowdgame.cups.urls")),
    path("", include("crowdgame.printing.urls")),
    path("play/", include("crowdgame.accounts.urls")),
    path("play/", include("crowdgame.notifications.urls")),
    path("play/", include("crowdgame.chat.urls")),
    path("play/", include("crowdgame.ratings.urls")),
    path("play/", include("crowdgame.duels.urls")),
    path("privacy", privacy, name="privacy"),
    path(
        "admin/login/", LockoutLoginView.as_view()
    ),  # replaces the admin's own login, so that the account lockout covers every login
    path("admin/", admin.site.urls),
]
