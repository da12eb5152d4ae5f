"""Bases for admin pages of rows that are written elsewhere."""

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

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
