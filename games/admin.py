"""Teams, matches and turns to look at: the console and the clock write them, nobody else."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest

from games.models import (
    LIVE_STATES,
    ChatLine,
    ChatReport,
    ChatSilence,
    Cup,
    CupPairing,
    Match,
    Member,
    Team,
    Turn,
)

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    UnfoldAdmin = ModelAdmin[Any]
else:
    from unfold.admin import ModelAdmin as UnfoldAdmin


class LookOnly(UnfoldAdmin):
    """Rows that something running depends on, or that are a record of what was."""

    not_to_be_asked_for: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What is not shown cannot be asked for in a list's address either, letter by letter."""
        allowed: bool = super().lookup_allowed(lookup, value, request)
        return allowed and lookup.partition("__")[0] not in self.not_to_be_asked_for


@admin.register(Team)
class TeamAdmin(LookOnly):
    list_display = ["name", "number", "event"]
    list_select_related = ["event"]
    search_fields = ["name", "event__code", "event__name"]


@admin.register(Member)
class MemberAdmin(LookOnly):
    """An event's owner says who they are, on a page of the console."""

    list_display = ["event", "user", "role"]
    list_filter = ["role"]
    list_select_related = ["event", "user"]
    search_fields = ["event__code", "event__name", "user__username"]
    ordering = ["-pk"]


@admin.register(Cup)
class CupAdmin(LookOnly):
    """Its owner has a page of the console for it."""

    list_display = ["name", "code", "format", "owner"]
    list_filter = ["format"]
    list_select_related = ["owner"]
    search_fields = ["code", "name", "owner__username", "teams__name"]
    ordering = ["-pk"]


@admin.register(CupPairing)
class CupPairingAdmin(LookOnly):
    list_display = ["__str__", "red", "yellow", "event", "walkover"]
    list_select_related = ["cup", "event"]
    search_fields = ["cup__code", "cup__name", "event__code"]
    ordering = ["-pk"]


@admin.register(Match)
class MatchAdmin(LookOnly):
    """Who changed over to which side nobody may ask."""

    list_display = ["__str__", "game", "state", "result", "ended_by", "red", "yellow"]
    not_to_be_asked_for = ("changes_of_side",)
    list_filter = ["state", "result", "game"]
    list_select_related = ["event", "red", "yellow"]
    search_fields = ["event__code", "event__name"]
    ordering = ["-pk"]


@admin.register(Turn)
class TurnAdmin(LookOnly):
    """A live turn's seed decides its lots, so it is shown afterwards only, and with secret sides at the end.

    One that was sealed and is not told of is not there at all, and would be found by its pick.
    """

    list_display = ["__str__", "state", "red_pick", "yellow_pick", "epoch", "version"]
    list_filter = ["state"]
    list_select_related = ["match__event"]
    search_fields = ["match__event__code", "match__event__name"]
    ordering = ["-pk"]
    exclude = ["seed"]
    not_to_be_asked_for = ("seed", "tallies")
    readonly_fields = ["seed_afterwards"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        turns: QuerySet[Turn] = super().get_queryset(request)
        return turns.exclude(resolved_at=None, sealed_at__isnull=False)

    @admin.display(description="seed")
    def seed_afterwards(self, turn: Turn) -> str:
        if turn.match.is_secret:
            return "shown when the match is over"
        return "shown when the turn is over" if turn.state in LIVE_STATES else turn.seed


@admin.register(ChatLine)
class ChatLineAdmin(LookOnly):
    """What guests said; moderators have pages of the hall to do something about it."""

    list_display = ["at", "room", "name", "text", "removed"]
    list_filter = ["removed", "room__kind"]
    list_select_related = ["room__duel__event"]
    search_fields = ["name", "text", "room__duel__event__code"]
    ordering = ["-pk"]


@admin.register(ChatReport)
class ChatReportAdmin(LookOnly):
    list_display = ["at", "line", "reason", "by", "settled"]
    list_filter = ["settled", "reason"]
    list_select_related = ["line", "by"]
    ordering = ["-pk"]


@admin.register(ChatSilence)
class ChatSilenceAdmin(LookOnly):
    list_display = ["guest", "until", "by"]
    list_select_related = ["guest", "by"]
    ordering = ["-pk"]


@admin.register(LogEntry)
class LogEntryAdmin(LookOnly):
    """What moderators did, and what was done on these pages."""

    list_display = ["action_time", "user", "content_type", "object_repr", "change_message"]
    list_filter = ["content_type"]
    list_select_related = ["user", "content_type"]
    search_fields = ["user__username", "object_repr", "change_message"]
    ordering = ["-pk"]
