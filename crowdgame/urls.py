"""Root URL configuration. Each feature includes its own `urls.py`."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from crowdgame.accounts.account_language import account_language
from crowdgame.events.branding.lobby_music import lobby_music
from crowdgame.events.branding.logos import logo
from crowdgame.events.printing.pdf_views import pdf_view
from crowdgame.events.printing.views import about, rules, rules_of
from crowdgame.maintenance.personal_data.views import guest_data, organizer_data
from crowdgame.organizer.cups.board_view import cup_board, cup_podium
from crowdgame.organizer.stage.views import current_program, stage
from crowdgame.play.discord.views import interact
from crowdgame.play.ratings.views import ratings
from crowdgame.results.transparency_log.views import log_page
from crowdgame.server.web import converters  # noqa: F401  registers the converter for codes
from crowdgame.server.web.accessibility import accessibility
from crowdgame.server.web.oembed import oembed
from crowdgame.server.web.privacy import event_privacy, privacy

admin.autodiscover()  # here, so that only processes that serve pages load the admin modules
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

PLAY_SHEETS = pdf_view("crowdgame.events.printing.play_sheet_view.play_sheets")

handler404 = "crowdgame.server.web.errors.page_not_found"
urlpatterns = [
    path("console/", include("allauth.account.urls")),
    path("console/2fa/", include("allauth.mfa.urls")),
    path("console/3rdparty/", include("allauth.socialaccount.urls")),
    path("console/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("console/language/", account_language, name="account_language"),
    path("console/sessions/", include("allauth.usersessions.urls")),
    path("console/data/", organizer_data, name="organizer_data"),
    path("console/", include("crowdgame.organizer.console.urls")),
    path("api/v1/", include("crowdgame.organizer.api.urls")),
    path("", include("crowdgame.results.reports.urls")),
    path("cup/<code:code>", cup_board, name="cup"),
    path("stage/<code:code>", stage, name="stage"),
    path("stage/<code:code>/now", current_program, name="stage_now"),
    path("stage/<code:code>/podium", cup_podium, name="podium"),
    path("discord/<code:code>", interact, name="discord"),
    path("brand/lobby-music", lobby_music, name="lobby_music"),
    path("brand/<slug:name>.webp", logo, name="logo"),
    path("rules", rules, name="rules"),
    path("rules/cards.pdf", PLAY_SHEETS, {"paper": "A4"}, name="play_sheets"),
    path("rules/cards-letter.pdf", PLAY_SHEETS, {"paper": "Letter"}, name="play_sheets_letter"),
    path("rules/<slug:game>", rules_of, name="rules_of"),
    path("about", about, name="about"),
    path("accessibility", accessibility, name="accessibility"),
    path("play/", include("crowdgame.accounts.urls")),
    path("play/data", guest_data, name="guest_data"),
    path("play/", include("crowdgame.play.notifications.urls")),
    path("play/", include("crowdgame.play.chat.urls")),
    path("play/ratings", ratings, name="ratings"),
    path("play/", include("crowdgame.play.duels.urls")),
    path("", include("crowdgame.play.puzzles.urls")),
    path("log", log_page, name="log"),
    path("log/", include("crowdgame.results.transparency_log.urls")),
    path("oembed", oembed, name="oembed"),
    path("privacy", privacy, name="privacy"),
    path("privacy/<code:code>", event_privacy, name="event_privacy"),
    path("admin/", admin.site.urls),
]
