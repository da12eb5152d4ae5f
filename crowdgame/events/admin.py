"""Admin of events (editable), members and the audit log (both read-only, written by the console)."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from unfold.widgets import UnfoldAdminSelectWidget

from crowdgame.events.event_edits import announce_page_edit
from crowdgame.events.event_texts import NameField, method_choices
from crowdgame.events.members import publish_after_commit
from crowdgame.events.models import AuditEntry, Member
from voting.admin import EditOnly, ReadOnlyAdmin, UnfoldAdmin
from voting.models import Event, Team

if TYPE_CHECKING:
    from django.contrib.admin import TabularInline

    TeamTable = TabularInline[Team, Event]
else:
    from unfold.admin import TabularInline as TeamTable


VOTE_FIELDS = (
    "window_s",
    "pace",
    "close_early",
    "tally_method",
    "tie_rule",
    "no_ballot_rule",
    "resign",
    "draw_offers",
)


class NamesCleaned:
    """Mixin that uses NameField for fields called `name`, so that names are stored as they are shown."""

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name == "name":
            options["form_class"] = NameField
        return super().formfield_for_dbfield(db_field, request, **options)  # type: ignore[misc]


class TeamInline(NamesCleaned, EditOnly, TeamTable):
    model = Team
    fields = ["number", "name"]
    readonly_fields = ["number"]
    ordering = ["number"]


@admin.register(Event)
class EventAdmin(NamesCleaned, EditOnly, UnfoldAdmin):
    """Edits events. The console creates and deletes them: it makes the teams and checks for a live match."""

    list_display = ["name", "code", "owner", "lobby", "game", "window_s", "created_at"]
    list_filter = ["lobby", "game"]
    list_select_related = ["owner"]
    search_fields = ["name", "code", "owner__username", "teams__name"]
    ordering = ["-created_at"]
    autocomplete_fields = ["owner"]
    readonly_fields = ["code", "lobby", "game", "options", "next_match_at", "seq", "created_at"]
    fieldsets = [
        (None, {"fields": ["name", "owner", "team_choice", "admission", "peek"]}),
        ("Vote", {"fields": VOTE_FIELDS}),
        ("Between matches", {"fields": ["next_match_after_s", "next_match_at"]}),
        ("Read-only", {"fields": ["code", "lobby", "game", "options", "seq", "created_at"]}),
    ]
    inlines = [TeamInline]

    def view_on_site(self, obj: Event) -> str:
        return reverse("console:event", args=[obj.code])

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        if db_field.name == "tally_method":
            return forms.ChoiceField(choices=method_choices, widget=UnfoldAdminSelectWidget)
        return super().formfield_for_dbfield(db_field, request, **options)

    def save_model(self, request: HttpRequest, obj: Event, form: Any, change: bool) -> None:
        """Save only the edited fields, because the event's `seq` changes while the form is open."""
        edited = {field.name for field in Event._meta.concrete_fields} & set(form.changed_data)
        obj.save(update_fields=edited)
        if "owner" in edited:
            for user_id in (form.initial["owner"], obj.owner_id):
                publish_after_commit(user_id, obj.pk)
        transaction.on_commit(lambda: announce_page_edit(request, obj))


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ["event", "by", "__str__", "action", "done_at"]
    list_filter = ["action"]
    list_select_related = ["event"]
    search_fields = ["event__code", "event__name", "by", "what"]
    fields = ["event", "by", "__str__", "action", "done_at"]
    readonly_fields = ["__str__", "done_at"]

    @admin.display(description="at", ordering="at")
    def done_at(self, entry: AuditEntry) -> datetime:
        return datetime.fromtimestamp(entry.at / 1000, UTC)


@admin.register(Member)
class MemberAdmin(ReadOnlyAdmin):
    """Read-only. The event's owner manages members on the console's members page."""

    list_display = ["event", "user", "role"]
    list_filter = ["role"]
    list_select_related = ["event", "user"]
    search_fields = ["event__code", "event__name", "user__username"]
