"""Public URL patterns of reports, records, boards, chat receipts, the verification page and script."""

from django.urls import path, re_path

from crowdgame.results.reports.analysis_board import analysis_board, analyzable_match, live_position
from crowdgame.results.reports.animation import animation
from crowdgame.results.reports.board_editor import board_editor
from crowdgame.results.reports.board_picture import board_picture
from crowdgame.results.reports.chat_receipt import chat_receipt
from crowdgame.results.reports.color_sheet import color_sheet
from crowdgame.results.reports.match_roots import match_log, match_roots
from crowdgame.results.reports.record_download import match_record
from crowdgame.results.reports.story import follow
from crowdgame.results.reports.thumbnail import thumbnail
from crowdgame.results.reports.verify_page import verify_page, verify_script
from crowdgame.results.reports.views import match_csv, match_report

urlpatterns = [
    path("record/<code:code>/<int:number>.json", match_record, name="record"),
    path("record/<code:code>/<int:number>/roots.json", match_roots, name="roots"),
    path("record/<code:code>/<int:number>/log/<int:known>.json", match_log, name="logged_seals"),
    path("report/<code:code>/<int:number>", match_report, name="report"),
    path("report/<code:code>/<int:number>.html", match_report, {"as_file": True}, name="report_file"),
    path("report/<code:code>/<int:number>.csv", match_csv, name="report_csv"),
    path("report/<code:code>/<int:number>/board", analysis_board, name="analysis_board"),
    path("report/<code:code>/<int:number>/board.json", analyzable_match, name="analyzable_match"),
    path("report/<code:code>/<int:number>/live.json", live_position, name="live_position"),
    path("follow/<code:code>", follow, name="follow"),
    path("board", board_editor, name="board_editor"),
    path("board/<code:code>/<int:number>.svg", animation, name="animation"),
    path("board/<code:code>.png", board_picture, name="board"),
    path("board/<code:code>/<int:number>.png", board_picture, name="match_board"),
    path("board/<code:code>/<int:number>/<int:turns>.svg", thumbnail, name="thumbnail"),
    re_path(r"^board/(?P<red>[0-9a-f]{6})?-(?P<yellow>[0-9a-f]{6})?\.css$", color_sheet, name="color_sheet"),
    path("chat/<code:code>", chat_receipt, name="chat_receipt"),
    path("verify", verify_page, name="verify"),
    path("verify.py", verify_script, name="verify_script"),
]
