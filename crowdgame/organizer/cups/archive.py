"""Archived cups: out of the way in the organizer's list, otherwise unchanged. Restoring reverts it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from crowdgame.events.archive import RUNNING_EVENTS, redirect_to_list
from crowdgame.organizer.cups.models import Cup, CupPairing
from crowdgame.organizer.cups.views import own_cup
from voting.models import Event

_LIVE_PAIRINGS = CupPairing.objects.filter(
    Exists(Event.objects.filter(RUNNING_EVENTS, pk=OuterRef("event"))), cup=OuterRef("pk")
)
ARCHIVED_CUPS = Q(archived_at__isnull=False) & ~Exists(_LIVE_PAIRINGS)


@login_required
@require_POST
def archive_cup(request: HttpRequest, code: str) -> HttpResponse:
    """Archive the cup, unless a match of it is live or scheduled."""
    cup = own_cup(request, code)
    idle = Cup.objects.filter(~Exists(_LIVE_PAIRINGS), pk=cup.pk)
    if idle.update(archived_at=timezone.now()):
        undo = reverse("console:restore_cup", args=[cup.code])
        messages.success(request, _("“%(name)s” archived.") % {"name": cup.name}, extra_tags=undo)
    else:
        messages.warning(
            request, _("A match of this cup is live or about to start. Archive the cup after it.")
        )
    return redirect_to_list(request)


@login_required
@require_POST
def restore_cup(request: HttpRequest, code: str) -> HttpResponse:
    cup = own_cup(request, code)
    Cup.objects.filter(pk=cup.pk).update(archived_at=None)
    messages.success(request, _("“%(name)s” is back in your events.") % {"name": cup.name})
    return redirect_to_list(request)
