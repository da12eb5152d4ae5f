from django.contrib import admin
from django.urls import include, path

from voting.pages import hall, ratings
from voting.pages.cup_board import cup_board
from voting.pages.leaflet import about, rules
from voting.pages.lockout import Login
from voting.pages.privacy import privacy
from voting.pages.record import match_record
from voting.pages.report import match_figures, match_report
from voting.pages.verify import verify_script

urlpatterns = [
    path("console/", include("voting.urls")),
    path("record/<code:code>/<int:number>.json", match_record, name="record"),
    path("report/<code:code>/<int:number>", match_report, name="report"),
    path("report/<code:code>/<int:number>.csv", match_figures, name="report_csv"),
    path("cup/<code:code>", cup_board, name="cup"),
    path("hall/", hall.hall, name="hall"),
    path("hall/go", hall.go, name="hall_go"),
    path("hall/new", hall.new_game, name="new_game"),
    path("hall/all/<slug:kind>", hall.hall_list, name="hall_list"),
    path("hall/ratings", ratings.ratings, name="ratings"),
    path("hall/<code:code>", hall.duel, name="duel"),
    path("hall/<code:code>/join", hall.join, name="join_duel"),
    path("hall/<code:code>/again", hall.again, name="play_again"),
    path("verify.py", verify_script, name="verify"),
    path("privacy", privacy, name="privacy"),
    path("rules", rules, name="rules"),
    path("about", about, name="about"),
    path("admin/login/", Login.as_view()),  # in place of the admin's own: one way in, and one lock on it
    path("admin/", admin.site.urls),
]
