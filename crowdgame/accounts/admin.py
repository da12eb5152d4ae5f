"""Admin pages of organizers, groups and the admin log."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from voting.admin import ReadOnlyAdmin, UnfoldAdmin

if TYPE_CHECKING:
    UsersByDjango = DjangoUserAdmin[User]
else:
    UsersByDjango = DjangoUserAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class UserAdmin(UsersByDjango, UnfoldAdmin):
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, UnfoldAdmin):
    pass


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """Actions of chat moderators and changes made in the admin. Read-only."""

    list_display = ["action_time", "user", "content_type", "object_repr", "change_message"]
    list_filter = ["content_type"]
    list_select_related = ["user", "content_type"]
    search_fields = ["user__username", "object_repr", "change_message"]
    ordering = ["-pk"]
