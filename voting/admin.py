"""Read-only admin for matches and their votes, which only the console, gateways and workers write.

Hides all unrevealed votes.
"""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from voting.models import (
    LIVE_STATES,
    Announcement,
    Match,
    Nickname,
    StoredBallot,
    StoredRestriction,
    TallyRecord,
    Team,
    Ticket,
    Turn,
    TurnState,
)
from voting.terms import MatchState

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


WHILE_SIDES_SECRET = {"turn__match__state": MatchState.PLAYING, "turn__match__max_side_changes__gt": 0}


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


@admin.register(StoredBallot)
class StoredBallotAdmin(ReadOnlyAdmin):
    """Ballots of long windows, only of resolved turns. A void turn stays secret, too.

    While sides are secret, all ballots are hidden: a team's votes beside its pick would reveal who left it.
    """

    list_display = ["turn", "voter", "side", "choice", "sequence"]
    list_filter = ["side"]
    list_select_related = ["turn__match__event"]
    search_fields = ["voter", "turn__match__event__code"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StoredBallot]:
        ballots: QuerySet[StoredBallot] = super().get_queryset(request)
        return ballots.filter(turn__state=TurnState.RESOLVED).exclude(**WHILE_SIDES_SECRET)


@admin.register(TallyRecord)
class TallyRecordAdmin(ReadOnlyAdmin):
    """Tallies of turns that were revealed, even if they were voided later."""

    list_display = ["turn", "side", "pick", "decided_by", "ballots", "counts"]
    list_filter = ["side", "decided_by"]
    list_select_related = ["turn__match__event"]
    search_fields = ["turn__match__event__code", "turn__match__event__name"]
    exclude = ["sealed"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[TallyRecord]:
        """Leave out concealed turns, and all turns while sides are secret."""
        tallies: QuerySet[TallyRecord] = super().get_queryset(request).filter(turn__resolved_at__isnull=False)
        return tallies.exclude(**WHILE_SIDES_SECRET)


@admin.register(Ticket)
class TicketAdmin(ReadOnlyAdmin):
    """Hides full codes, which admit voters, and voter ids, which would link ballots to people."""

    list_display = ["event", "code_begins", "label", "team", "used"]
    list_filter = ["team"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "label"]
    fields = ["event", "code_begins", "label", "team", "used"]
    readonly_fields = ["code_begins", "used"]
    blocked_lookups = ("code", "voter")

    @admin.display(description="code")
    def code_begins(self, ticket: Ticket) -> str:
        return f"{ticket.code[:2]}…"

    @admin.display(boolean=True)
    def used(self, ticket: Ticket) -> bool:
        return ticket.used_at is not None


@admin.register(StoredRestriction)
class StoredRestrictionAdmin(ReadOnlyAdmin):
    """Restrictions by voter code. The audit log tells who set them."""

    list_display = ["event", "voter_code", "team", "banned", "nameless", "restricted_at"]
    list_filter = ["banned", "nameless", "team"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "voter_code"]
    ordering = ["-at"]
    fields = ["event", "voter_code", "team", "banned", "nameless", "restricted_at"]
    readonly_fields = ["restricted_at"]

    @admin.display(description="at", ordering="at")
    def restricted_at(self, restriction: StoredRestriction) -> datetime:
        return datetime.fromtimestamp(restriction.at / 1000, UTC)


@admin.register(Nickname)
class NicknameAdmin(ReadOnlyAdmin):
    list_display = ["event", "voter_code", "name", "allowed"]
    list_filter = ["allowed"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "voter_code", "name"]
    fields = ["event", "voter_code", "name", "allowed"]


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnlyAdmin):
    list_display = ["event", "seq", "kind", "sent_at"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name"]
    exclude = ["body"]
    readonly_fields = ["kind", "message"]

    @admin.display()
    def kind(self, announcement: Announcement) -> str:
        return str(json.loads(bytes(announcement.body))["type"])

    @admin.display()
    def message(self, announcement: Announcement) -> str:
        return json.dumps(json.loads(bytes(announcement.body)), indent=1, ensure_ascii=False)
