"""Read-only admin for teams, matches and turns, which only the console and the scheduler write."""

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


class EditOnly:
    """Mixin for rows that can be edited, but neither added nor deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(EditOnly, UnfoldAdmin):
    """Admin for rows that a running match depends on, or that are a historical record.

    Nothing can be edited.
    """

    ordering = ["-pk"]
    blocked_lookups: tuple[str, ...] = ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Reject lookups on `blocked_lookups`: hidden fields must not be guessed with filters in the URL."""
        allowed: bool = super().lookup_allowed(lookup, value, request)
        return allowed and lookup.partition("__")[0] not in self.blocked_lookups


@admin.register(Team)
class TeamAdmin(ReadOnlyAdmin):
    list_display = ["name", "number", "event"]
    list_select_related = ["event"]
    search_fields = ["name", "event__code", "event__name"]


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin):
    """Matches. Filtering on side changes is blocked, because they are secret."""

    list_display = ["__str__", "game", "state", "result", "ended_by", "red", "yellow"]
    blocked_lookups = ("side_changes",)
    list_filter = ["state", "result", "game"]
    list_select_related = ["event", "red", "yellow"]
    search_fields = ["event__code", "event__name"]


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """Turns without unrevealed secrets.

    A live turn's seed decides its lots, so it is shown only after the turn, and with secret sides after the
    match. A sealed turn that is not revealed is left out, because filters on its pick would find it.
    """

    list_display = ["__str__", "state", "red_pick", "yellow_pick", "epoch", "version"]
    list_filter = ["state"]
    list_select_related = ["match__event"]
    search_fields = ["match__event__code", "match__event__name"]
    exclude = ["seed", "most_voters", "most_ballots"]
    blocked_lookups = ("seed", "tallies")
    readonly_fields = ["seed_when_over"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Turn]:
        """Leave out turns that are sealed but not revealed."""
        turns: QuerySet[Turn] = super().get_queryset(request)
        return turns.exclude(resolved_at=None, sealed_at__isnull=False)

    @admin.display(description="seed")
    def seed_when_over(self, turn: Turn) -> str:
        if turn.match.is_secret:
            return "shown when the match is over"
        return "shown when the turn is over" if turn.state in LIVE_STATES else turn.seed
