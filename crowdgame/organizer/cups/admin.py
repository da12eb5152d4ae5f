"""Read-only admin pages of cups and their pairings."""

from django.contrib import admin

from crowdgame.organizer.cups.models import Cup, CupPairing
from voting.admin import ReadOnlyAdmin


@admin.register(Cup)
class CupAdmin(ReadOnlyAdmin):
    """Cups, read-only. Owners edit them in the console."""

    list_display = ["name", "code", "format", "owner"]
    list_filter = ["format"]
    list_select_related = ["owner"]
    search_fields = ["code", "name", "owner__username", "teams__name"]


@admin.register(CupPairing)
class CupPairingAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "red", "yellow", "event", "walkover"]
    list_select_related = ["cup", "event"]
    search_fields = ["cup__code", "cup__name", "event__code"]
