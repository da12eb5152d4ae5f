from django.urls import path

from crowdgame.chat import chat_lines, views

urlpatterns = [
    path("chat/reports", chat_lines.reports, name="chat_reports"),
    path("chat/unblock", views.unblock_guest, name="chat_unblock"),
    path("chat/<slug:place>", views.room, name="chat_room"),
    path("chat/<slug:place>/say", views.say_in, name="chat_say"),
    path("chat/<slug:place>/rule", chat_lines.rule, name="chat_rule"),
    path("chat/<slug:place>/<int:number>", chat_lines.line, name="chat_line"),
    path("chat/<slug:place>/<int:number>/<slug:action>", chat_lines.action, name="chat_action"),
]
