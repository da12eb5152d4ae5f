"""Teams, matches and turns to view: the console and the scheduler write them."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from games.models import LIVE_STATES, Match, Team, Turn

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

    UnfoldAdmin = ModelAdmin[Any]
else:
    from unfold.admin import ModelAdmin as UnfoldAdmin


class ReadOnlyAdmin(UnfoldAdmin):
    """Rows that something running depends on, or that are a record of what was."""

    blocked_lookups: tuple[str, ...] = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What is not shown cannot be asked for in a list's address either, letter by letter."""
        allowed: bool = super().lookup_allowed(lookup, value, request)
        return allowed and lookup.partition("__")[0] not in self.blocked_lookups


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    list_display = ["name", "number", "event"]
    list_select_related = ["event"]
    search_fields = ["name", "event__code", "event__name"]


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """Who changed over to which side nobody may ask."""

    list_display = ["__str__", "game", "state", "result", "ended_by", "red", "yellow"]
    blocked_lookups = ("side_changes",)
    list_filter = ["state", "result", "game"]
    list_select_related = ["event", "red", "yellow"]
    search_fields = ["event__code", "event__name"]
    ordering = ["-pk"]


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """A live turn's seed decides its lots, so it is shown afterwards only, and with secret sides at the end.

    One that was sealed and is not told of is not there at all, and would be found by its pick.
    """

    list_display = ["__str__", "state", "red_pick", "yellow_pick", "epoch", "version"]
    list_filter = ["state"]
    list_select_related = ["match__event"]
    search_fields = ["match__event__code", "match__event__name"]
    ordering = ["-pk"]
    exclude = ["seed"]
    blocked_lookups = ("seed", "tallies")
    readonly_fields = ["seed_when_over"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        turns: QuerySet[Turn] = super().get_queryset(request)
        return turns.exclude(resolved_at=None, sealed_at__isnull=False)

    @admin.display(description="seed")
    def seed_when_over(self, turn: Turn) -> str:
        if turn.match.is_secret:
            return "shown when the match is over"
        return "shown when the turn is over" if turn.state in LIVE_STATES else turn.seed
