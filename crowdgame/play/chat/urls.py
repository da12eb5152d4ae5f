from django.urls import path

from crowdgame.play.chat import chat_lines, views

urlpatterns = [
    path("chat/reports", chat_lines.reports, name="chat_reports"),
    path("chat/unblock", views.unblock_guest, name="chat_unblock"),
    path("chat/<slug:slug>", views.room, name="chat_room"),
    path("chat/<slug:slug>/say", views.post_in_room, name="chat_post"),
    path("chat/<slug:slug>/rule", chat_lines.change_room_settings, name="chat_settings"),
    path("chat/<slug:slug>/<int:number>", chat_lines.line, name="chat_line"),
    path("chat/<slug:slug>/<int:number>/<slug:action>", chat_lines.action, name="chat_action"),
]
