"""Chat messages, reports and mutes to view. Moderators have pages of their own."""

from django.contrib import admin

from crowdgame.chat.models import ChatLine, ChatMute, ChatReport
from games.admin import ReadOnlyAdmin


@admin.register(ChatLine)
class ChatLineAdmin(ReadOnlyAdmin):
    """What guests said; moderators have pages of the hall to do something about it."""

    list_display = ["at", "room", "name", "text", "removed"]
    list_filter = ["removed", "room__kind"]
    list_select_related = ["room__duel__event"]
    search_fields = ["name", "text", "room__duel__event__code"]
    ordering = ["-pk"]


@admin.register(ChatReport)
class ChatReportAdmin(ReadOnlyAdmin):
    list_display = ["at", "line", "reason", "by", "settled"]
    list_filter = ["settled", "reason"]
    list_select_related = ["line", "by"]
    ordering = ["-pk"]


@admin.register(ChatMute)
class ChatMuteAdmin(ReadOnlyAdmin):
    list_display = ["guest", "until", "by"]
    list_select_related = ["guest", "by"]
    ordering = ["-pk"]
