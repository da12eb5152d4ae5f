"""Console page of an event's brand."""

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.access import owner_page
from crowdgame.events.audit_text import LogText
from crowdgame.events.branding.brands import Brand, change_brand, load_brand
from crowdgame.events.branding.forms import BrandForm
from crowdgame.events.branding.logos import store_logo
from crowdgame.events.event_edits import announce_page_edit, log_edit
from voting.models import Event, Team


@owner_page("GET", "POST")
def branding(request: HttpRequest, event: Event) -> HttpResponse:
    """Change the brand, or reset it to the defaults. Both can be undone until the next change."""
    if "reset" in request.POST:
        return _save(request, event, Brand())
    form = BrandForm(request.POST or None, request.FILES or None, load_brand(event))
    if form.is_valid():
        uploaded = form.cleaned_data["logo"]
        return _save(request, event, form.brand(store_logo(event, uploaded) if uploaded else ""))
    context = {"form": form, "event": event, "samples": _samples(list(event.teams.order_by("number")))}
    return render(request, "events/branding.html", context)


def _samples(teams: list[Team]) -> list[dict[str, object]]:
    return [
        {"look": "dark", "label": _("Big screen, dark pages"), "teams": teams},
        {"look": "phone-1", "label": _("Phone of the first team"), "teams": teams[:1]},
        {"look": "phone-2", "label": _("Phone of the second team"), "teams": teams[1:]},
        {"look": "light", "label": _("Report, light pages"), "teams": teams},
    ]


@owner_page("POST")
def undo_branding(request: HttpRequest, event: Event) -> HttpResponse:
    before = request.session.get(_session_key(event))
    return _save(request, event, Brand(**before)) if before else redirect("console:branding", event.code)


def _save(request: HttpRequest, event: Event, brand: Brand) -> HttpResponse:
    request.session[_session_key(event)] = asdict(change_brand(event.pk, brand))
    log_edit(request, event, "event.branding", LogText(gettext_noop("%(by)s changed colors and logo")))
    if announce_page_edit(request, event):
        messages.success(request, _("Saved."), extra_tags=reverse("console:undo_branding", args=[event.code]))
    return redirect("console:branding", event.code)


def _session_key(event: Event) -> str:
    return f"brand-{event.pk}"
