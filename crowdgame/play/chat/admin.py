"""Read-only admin pages of chat messages, reports and mutes. Moderators act on the chat's own pages."""

from django.contrib import admin

from crowdgame.play.chat.models import ChatLine, ChatMute, ChatReport
from voting.admin import ReadOnlyAdmin


@admin.register(ChatLine)
class ChatLineAdmin(ReadOnlyAdmin):
    """Messages of guests. Moderators remove them on the message's own page."""

    list_display = ["at", "room", "name", "text", "removed"]
    list_filter = ["removed", "room__kind"]
    list_select_related = ["room__duel__event"]
    search_fields = ["name", "text", "room__duel__event__code"]


@admin.register(ChatReport)
class ChatReportAdmin(ReadOnlyAdmin):
    list_display = ["at", "line", "reason", "by", "settled"]
    list_filter = ["settled", "reason"]
    list_select_related = ["line", "by"]


@admin.register(ChatMute)
class ChatMuteAdmin(ReadOnlyAdmin):
    list_display = ["guest", "until", "by"]
    list_select_related = ["guest", "by"]
