"""Pages that create an event: from a preset in one click, through the form, or as a copy."""

from collections.abc import Callable
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from crowdgame.events.access import organizer_page, require_accessible_event
from crowdgame.events.branding.brands import copy_brand
from crowdgame.events.forms import EventForm
from crowdgame.events.permissions import role_at_event
from crowdgame.events.presets import EMPTY_PRESET, PRESETS, PRESETS_BY_SLUG
from crowdgame.events.sharing import SharingForm, shared_templates
from crowdgame.events.views import has_solo, needs_tickets
from voting.models import Event
from voting.protocol import Role


@organizer_page
@require_http_methods(["GET", "POST"])
def new_event(request: HttpRequest) -> HttpResponse:
    """List the presets.

    POST with a preset's slug creates an event from it, unless it needs the form. POST with `form` opens the
    form of that preset.
    """
    if request.POST.get("form", "") in PRESETS_BY_SLUG:
        organization = request.POST.get("organization")
        chosen = {"organization": organization} if organization else None
        return redirect(reverse("console:new_form", args=[request.POST["form"]], query=chosen))
    user = cast(User, request.user)
    preset, sharing = PRESETS_BY_SLUG.get(request.POST.get("preset", "")), SharingForm(user, request.POST)
    if request.method == "POST" and preset and not preset.needs_form and sharing.is_valid():
        return _create_and_redirect(request, preset.create, sharing)
    page = {"presets": PRESETS, "empty": EMPTY_PRESET, "sharing": sharing}
    return render(request, "events/new.html", page | {"templates": shared_templates(user)})


@organizer_page
@require_http_methods(["GET", "POST"])
def new_event_form(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the event form, prefilled from a preset. Raises Http404 if there is no such preset."""
    preset = PRESETS_BY_SLUG.get(slug)
    if preset is None:
        raise Http404
    form = EventForm(
        request.POST or None,
        instance=preset.build_event(),
        names=preset.team_names(),
        sources=preset.sources,
        solo=preset.solo,
    )
    user = cast(User, request.user)
    sharing = SharingForm(user, request.POST, chosen=request.GET.get("organization", ""))
    if form.is_valid() and sharing.is_valid():
        return _create_and_redirect(request, form.create, sharing)
    return render(request, "events/event.html", {"form": form, "preset": preset, "sharing": sharing})


@organizer_page
@require_http_methods(["GET", "POST"])
def copy_event(request: HttpRequest, code: str) -> HttpResponse:
    """Show the event form, prefilled from an event. The new event also has its brand.

    Raises Http404 if the user neither owns it nor may use it as a template of an organization.
    """
    like, user = require_accessible_event(request, code), cast(User, request.user)
    if role_at_event(user, like.pk) != Role.OWNER and not shared_templates(user).filter(event=like).exists():
        raise Http404
    teams = like.teams.order_by("number")
    chosen = {name: getattr(like, name) for name in (*EventForm.Meta.fields, "options")}
    form = EventForm(
        request.POST or None,
        instance=Event(**chosen),
        names=[team.name for team in teams],
        sources={team.number: team.source for team in teams},
        solo=teams.filter(number=1, solo=True).exists(),
    )
    sharing = SharingForm(user, request.POST)
    if form.is_valid() and sharing.is_valid():
        return _create_and_redirect(request, form.create, sharing, like)
    return render(request, "events/event.html", {"form": form, "like": like, "sharing": sharing})


def _create_and_redirect(
    request: HttpRequest, create: Callable[[User], Event], sharing: SharingForm, like: Event | None = None
) -> HttpResponse:
    """Create the event, shared as chosen and with the brand of the one it is like, or nothing."""
    with transaction.atomic():
        event = create(cast(User, request.user))
        if like:
            copy_brand(like, event)
        sharing.apply(event)
    if not needs_tickets(event) and not has_solo(event):
        return redirect("console:event", code=event.code)  # the console shows the name and the code itself
    text = _("“%(name)s” is ready. Its code is %(code)s.") % {"name": event.name, "code": event.code}
    messages.success(request, text)
    return redirect("console:tickets", code=event.code)
