"""Events and people to edit; ballots, tallies and announcements to look at, none before its reveal."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from crowdgame.events.edits import tell_screens
from crowdgame.events.event_words import NameField
from games.admin import LookOnly, UnfoldAdmin
from games.models import Event, MatchState, Team, TurnState
from voting.models import Announcement, Deed, Ruling, StoredBallot, TallyRecord, Ticket

SIDES_SECRET = {"turn__match__state": MatchState.PLAYING, "turn__match__defections__gt": 0}

if TYPE_CHECKING:
    from django.contrib.admin import TabularInline

    TeamTable = TabularInline[Team, Event]
    UsersByDjango = DjangoUserAdmin[User]
else:
    UsersByDjango = DjangoUserAdmin
    from unfold.admin import TabularInline as TeamTable

admin.site.unregister([User, Group])


class NamesCleaned:
    """A mixin: what is typed as a name is kept as it will be shown."""

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name == "name":
            options["form_class"] = NameField
        return super().formfield_for_dbfield(db_field, request, **options)  # type: ignore[misc]


class TeamInline(NamesCleaned, TeamTable):
    model = Team
    fields = ["number", "name"]
    readonly_fields = ["number"]
    ordering = ["number"]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Event)
class EventAdmin(NamesCleaned, UnfoldAdmin):
    """Made and deleted in the console, which makes the teams and looks after a running match."""

    list_display = ["name", "code", "owner", "lobby", "game", "window_s", "created_at"]
    list_filter = ["lobby", "game"]
    list_select_related = ["owner"]
    search_fields = ["name", "code", "owner__username", "teams__name"]
    ordering = ["-created_at"]
    autocomplete_fields = ["owner"]
    readonly_fields = ["code", "lobby", "game", "options", "next_match_at", "seq", "created_at"]
    fieldsets = [
        (None, {"fields": ["name", "owner", "team_choice", "admission", "peek"]}),
        (
            "Vote",
            {
                "fields": [
                    *("window_s", "reveal_s", "close_early"),
                    *("tally_method", "tie_rule", "no_ballot_rule", "resign"),
                ]
            },
        ),
        ("Between matches", {"fields": ["next_match_after_s", "next_match_at"]}),
        ("To look at", {"fields": ["code", "lobby", "game", "options", "seq", "created_at"]}),
    ]
    inlines = [TeamInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Event, form: Any, change: bool) -> None:
        """Only what was edited: the event's counter moves on while the form is open."""
        edited = {field.name for field in Event._meta.concrete_fields} & set(form.changed_data)
        obj.save(update_fields=edited)
        transaction.on_commit(lambda: tell_screens(request, obj))


@admin.register(StoredBallot)
class StoredBallotAdmin(LookOnly):
    """Ballots of long windows. A turn that was not revealed keeps them secret, also when it is void.

    While sides are secret all are: a team's votes beside its pick would tell of those who left it.
    """

    list_display = ["turn", "voter", "side", "column", "sequence"]
    list_filter = ["side"]
    list_select_related = ["turn__match__event"]
    search_fields = ["voter", "turn__match__event__code"]
    ordering = ["-pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StoredBallot]:
        ballots: QuerySet[StoredBallot] = super().get_queryset(request)
        return ballots.filter(turn__state=TurnState.RESOLVED).exclude(**SIDES_SECRET)


@admin.register(TallyRecord)
class TallyRecordAdmin(LookOnly):
    """Of turns that were told, also if they were taken back then."""

    list_display = ["turn", "side", "pick", "decided_by", "ballots", "counts"]
    list_filter = ["side", "decided_by"]
    list_select_related = ["turn__match__event"]
    search_fields = ["turn__match__event__code", "turn__match__event__name"]
    ordering = ["-pk"]
    exclude = ["sealed"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[TallyRecord]:
        """While sides are secret a side's counts are; and what is concealed."""
        tallies: QuerySet[TallyRecord] = super().get_queryset(request).filter(turn__resolved_at__isnull=False)
        return tallies.exclude(**SIDES_SECRET)


@admin.register(Ticket)
class TicketAdmin(LookOnly):
    """Neither whole codes, which let in, nor voters, which would say whose ballot is whose."""

    list_display = ["event", "code_begins", "label", "team", "used"]
    list_filter = ["team"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "label"]
    ordering = ["-pk"]
    fields = ["event", "code_begins", "label", "team", "used"]
    readonly_fields = ["code_begins", "used"]
    not_to_be_asked_for = ("code", "voter")

    @admin.display(description="code")
    def code_begins(self, ticket: Ticket) -> str:
        return f"{ticket.code[:2]}…"

    @admin.display(boolean=True)
    def used(self, ticket: Ticket) -> bool:
        return ticket.used_at is not None


@admin.register(Deed)
class DeedAdmin(LookOnly):
    """Who did what in a control room, and when."""

    list_display = ["event", "by", "what", "action", "done_at"]
    list_filter = ["action"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "by", "what"]
    ordering = ["-pk"]
    fields = ["event", "by", "what", "action", "done_at"]
    readonly_fields = ["done_at"]

    @admin.display(description="at", ordering="at")
    def done_at(self, deed: Deed) -> datetime:
        return datetime.fromtimestamp(deed.at / 1000, UTC)


@admin.register(Ruling)
class RulingAdmin(LookOnly):
    """Who is moved, or kept out, by sign; by whom, the deeds say."""

    list_display = ["event", "sign", "team", "kept_out", "ruled_at"]
    list_filter = ["kept_out", "team"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "sign"]
    ordering = ["-at"]
    fields = ["event", "sign", "team", "kept_out", "ruled_at"]
    readonly_fields = ["ruled_at"]

    @admin.display(description="at", ordering="at")
    def ruled_at(self, ruling: Ruling) -> datetime:
        return datetime.fromtimestamp(ruling.at / 1000, UTC)


@admin.register(Announcement)
class AnnouncementAdmin(LookOnly):
    list_display = ["event", "seq", "kind", "sent_at"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name"]
    ordering = ["-pk"]
    exclude = ["body"]
    readonly_fields = ["kind", "message"]

    @admin.display()
    def kind(self, announcement: Announcement) -> str:
        return str(json.loads(bytes(announcement.body))["type"])

    @admin.display()
    def message(self, announcement: Announcement) -> str:
        return json.dumps(json.loads(bytes(announcement.body)), indent=1, ensure_ascii=False)


@admin.register(User)
class UserAdmin(UsersByDjango, UnfoldAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, UnfoldAdmin):
    pass
