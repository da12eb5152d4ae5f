from django.contrib import admin
from django.urls import include, path

from crowdgame.accounts import views as hall_account
from crowdgame.accounts.lockout import Login
from crowdgame.chat import chat_lines
from crowdgame.chat import views as chat
from crowdgame.cups.board_view import cup_board
from crowdgame.duels import views as hall
from crowdgame.notifications import views as hall_mail
from crowdgame.printing.leaflet_view import about, rules
from crowdgame.ratings import views as ratings
from crowdgame.reports.preview_view import board_picture
from crowdgame.reports.record_view import match_record
from crowdgame.reports.verify_view import verify_script
from crowdgame.reports.views import match_figures, match_report
from crowdgame.web.privacy import privacy

admin.autodiscover()  # here, so that only processes with pages load it

urlpatterns = [
    path("console/", include("voting.urls")),
    path("record/<code:code>/<int:number>.json", match_record, name="record"),
    path("report/<code:code>/<int:number>", match_report, name="report"),
    path("report/<code:code>/<int:number>.csv", match_figures, name="report_csv"),
    path("board/<code:code>.png", board_picture, name="board"),
    path("board/<code:code>/<int:number>.png", board_picture, name="match_board"),
    path("cup/<code:code>", cup_board, name="cup"),
    path("hall/", hall.hall, name="hall"),
    path("hall/go", hall.go, name="hall_go"),
    path("hall/new", hall.new_game, name="new_game"),
    path("hall/account", hall_account.account, name="account"),
    path("hall/account/name", hall_account.change_name, name="rename"),
    path("hall/account/password", hall_account.new_password, name="new_password"),
    path("hall/account/delete", hall_account.delete, name="delete_account"),
    path("hall/login", hall_account.log_in, name="hall_login"),
    path("hall/logout", hall_account.log_out, name="hall_logout"),
    path("hall/mail", hall_mail.give_address, name="give_address"),
    path("hall/mail/forget", hall_mail.forget_address, name="forget_address"),
    path("hall/confirm/<str:token>", hall_mail.confirm, name="confirm_address"),
    path("hall/stop/<str:token>", hall_mail.stop, name="stop_mails"),
    path("hall/all/<slug:kind>", hall.hall_list, name="hall_list"),
    path("hall/chat/reports", chat_lines.reports, name="chat_reports"),
    path("hall/chat/unmute", chat.read_again, name="chat_unmute"),
    path("hall/chat/<slug:place>", chat.room, name="chat_room"),
    path("hall/chat/<slug:place>/say", chat.say_in, name="chat_say"),
    path("hall/chat/<slug:place>/rule", chat_lines.rule, name="chat_rule"),
    path("hall/chat/<slug:place>/<int:number>", chat_lines.line, name="chat_line"),
    path("hall/chat/<slug:place>/<int:number>/<slug:deed>", chat_lines.deed, name="chat_deed"),
    path("hall/ratings", ratings.ratings, name="ratings"),
    path("hall/<code:code>", hall.duel, name="duel"),
    path("hall/<code:code>/join", hall.join, name="join_duel"),
    path("hall/<code:code>/again", hall.again, name="play_again"),
    path("hall/<code:code>/begin", hall.begin, name="begin_duel"),
    path("verify.py", verify_script, name="verify"),
    path("privacy", privacy, name="privacy"),
    path("rules", rules, name="rules"),
    path("about", about, name="about"),
    path("admin/login/", Login.as_view()),  # in place of the admin's own: one way in, and one lock on it
    path("admin/", admin.site.urls),
]
