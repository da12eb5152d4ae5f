"""Tickets page of an event: make, search, release, delete, print and download tickets and roster codes."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from crowdgame.events.access import owner_page
from crowdgame.events.ticket_forms import RosterForm, TicketsForm
from crowdgame.events.views import has_solo
from crowdgame.server.web.errors import show_refusal
from crowdgame.server.web.hosts import server_url
from crowdgame.server.web.spreadsheet import csv_response
from voting.admission.admission import format_key
from voting.admission.roster import RosterError
from voting.admission.tickets import (
    TooManyTickets,
    delete_unused_tickets,
    make_roster,
    make_tickets,
    release_tickets,
)
from voting.models import Event, Ticket
from voting.terms import Admission
from voting.typed_codes import normalize_code

ROWS_PER_PAGE = 100
COUPONS_PER_FILE = 120  # five full sheets
MAX_ID_DIGITS = 19


@owner_page("GET", "POST")
def tickets(request: HttpRequest, event: Event) -> HttpResponse:
    """Show and change the event's tickets. Searches use POST, because a query in a URL could leak a code.

    `ask=roster` shows how a class list is read, and `ask=save` creates its codes.
    """
    asked = request.POST.get("ask", "")
    pile = TicketsForm(request.POST if asked == "make" else None)
    roster = RosterForm(event, request.POST if asked in {"roster", "save"} else None)
    if asked not in {"", "find", "roster"} and _handle_post(request, event, pile, roster):
        return redirect("console:tickets", code=event.code)
    return render(request, "events/tickets.html", _page_context(request, event, pile, roster))


def _handle_post(request: HttpRequest, event: Event, pile: TicketsForm, roster: RosterForm) -> bool:
    """Run the requested action and return whether it is handled. False: a form has errors."""
    ask = request.POST["ask"]
    if ask == "make":
        return pile.is_valid() and _create(request, event, pile)
    if ask == "save":
        return roster.is_valid() and _create(request, event, roster)
    if ask == "delete":
        deleted = delete_unused_tickets(event, _read_key(request.POST.get("newest", "")))
        count = number_format(deleted, force_grouping=True)
        messages.success(request, _("Unused codes deleted: %(count)s.") % {"count": count})
    elif ask == "release" and release_tickets(event.pk, [_read_key(request.POST.get("ticket", ""))]):
        messages.success(request, _("Released. The code now admits one more device, with the same vote."))
    return True


def _read_key(sent: str) -> int:
    """Return the primary key that a form has sent; 0, which no ticket has, for any other text."""
    return int(sent) if sent.isdecimal() and len(sent) < MAX_ID_DIGITS else 0


def _create(request: HttpRequest, event: Event, form: TicketsForm | RosterForm) -> bool:
    field = "names" if isinstance(form, RosterForm) else "count"
    with show_refusal(form, field, RosterError, TooManyTickets):
        if isinstance(form, RosterForm):
            made = make_roster(event, form.roster.pupils if form.roster else [])
        else:
            made = make_tickets(event, form.cleaned_data["count"])
        text = ngettext("Created %(count)s new code.", "Created %(count)s new codes.", len(made))
        messages.success(request, text % {"count": number_format(len(made), force_grouping=True)})
    return form.is_valid()


def _page_context(
    request: HttpRequest, event: Event, pile: TicketsForm, roster: RosterForm
) -> dict[str, Any]:
    every = event.tickets.all()
    wanted, show = request.POST.get("q", "").strip(), request.POST.get("show", "")
    totals = every.aggregate(total=Count("pk"), newest=Max("pk"))
    found = _search(every, wanted, show)
    unused = every.filter(first_used_at=None).count()
    return totals | {
        "event": event,
        "teams": dict(event.teams.values_list("number", "name")),
        "pile": pile,
        "roster": roster,
        "preview": roster.roster if roster.is_valid() else None,
        "q": wanted,
        "show": show,
        "rows": Paginator(found, ROWS_PER_PAGE).get_page(request.POST.get("page")),
        "named": every.exclude(label="").exists(),
        "used": totals["total"] - unused,
        "unused": unused,
        "in_use": event.admission in {Admission.TICKETS, Admission.ROSTER} or has_solo(event),
        "sheets": _sheets(every),
    }


def _sheets(every: QuerySet[Ticket]) -> list[int]:
    """Return the files of `ticket_sheets` that have a ticket which was never used."""
    used_at = every.order_by("label", "pk").values_list("first_used_at", flat=True)
    return sorted({1 + index // COUPONS_PER_FILE for index, used in enumerate(used_at) if used is None})


def _search(every: QuerySet[Ticket], wanted: str, show: str) -> QuerySet[Ticket]:
    if show in {"used", "unused"}:
        every = every.filter(first_used_at__isnull=show == "unused")
    if wanted:
        every = every.filter(Q(code__contains=normalize_code(wanted) or wanted) | Q(label__icontains=wanted))
    return every.order_by("label", "pk")


@owner_page("GET")
def download_tickets(request: HttpRequest, event: Event) -> HttpResponse:
    rows = ticket_csv_rows(event, f"{server_url(request)}/{event.code}")
    return csv_response(f"tickets-{event.code}", rows)


def ticket_csv_rows(event: Event, address: str) -> Iterator[tuple[str, ...]]:
    """Yield a header and one row per ticket."""
    teams = dict(event.teams.values_list("number", "name"))
    yield _("Code"), _("Name"), _("Team"), pgettext("code", "Used"), _("Address")
    for ticket in event.tickets.order_by("label", "pk").iterator():
        team = teams[ticket.team] if ticket.team else ""
        yield (
            format_key(ticket.code),
            ticket.label,
            team,
            _use_status(ticket),
            f"{address}#{ticket.code}",
        )


def _use_status(ticket: Ticket) -> str:
    if ticket.used_at is not None:
        return pgettext("code is used", "yes")
    return pgettext("code is used", "no") if ticket.first_used_at is None else pgettext("ticket", "released")
