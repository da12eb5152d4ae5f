"""Console page of an event's brand."""

from dataclasses import asdict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.access import owner_page
from crowdgame.events.audit_text import TOO_LATE, LogText
from crowdgame.events.branding.brands import (
    Brand,
    BrandChange,
    change_brand,
    load_brand,
    undo_brand_change,
)
from crowdgame.events.branding.forms import BrandForm
from crowdgame.events.branding.logos import store_logo
from crowdgame.events.event_edits import announce_page_edit, log_edit
from voting.models import Event, Team


@owner_page("GET", "POST")
def branding(request: HttpRequest, event: Event) -> HttpResponse:
    """Change the brand, or reset it to the defaults. Both can be undone until the next change."""
    if "reset" in request.POST:
        return _report_change(request, event, change_brand(event.pk, Brand()))
    form = BrandForm(request.POST or None, request.FILES or None, load_brand(event))
    if form.is_valid():
        uploaded = form.cleaned_data["logo"]
        brand = form.brand(store_logo(event, uploaded) if uploaded else "")
        return _report_change(request, event, change_brand(event.pk, brand))
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
    """Undo the latest change made in this session, unless the brand was changed again since."""
    latest = [Brand(**brand) for brand in request.session.get(_session_key(event), [])]
    if latest and (undone := undo_brand_change(event.pk, BrandChange(*latest))):
        return _report_change(request, event, undone)
    messages.warning(request, TOO_LATE)
    return redirect("console:branding", event.code)


def _report_change(request: HttpRequest, event: Event, change: BrandChange) -> HttpResponse:
    """Remember the change for its undo, log and announce it."""
    request.session[_session_key(event)] = [asdict(brand) for brand in change]
    log_edit(request, event, "event.branding", LogText(gettext_noop("%(by)s changed colors and logo")))
    if announce_page_edit(request, event):
        messages.success(request, _("Saved."), extra_tags=reverse("console:undo_branding", args=[event.code]))
    return redirect("console:branding", event.code)


def _session_key(event: Event) -> str:
    return f"brand-change-{event.pk}"
