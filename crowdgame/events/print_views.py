"""PDF downloads of an event: the QR code poster, and sheets of ticket coupons."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from crowdgame.events.access import owner_page
from crowdgame.events.branding.colors import read_rgb
from crowdgame.events.branding.logos import load_logo
from crowdgame.events.printing.pdf_document import Rgb, Unprintable
from crowdgame.events.printing.posters import Poster, print_posters
from crowdgame.events.printing.ticket_sheets import Coupon, print_coupons
from crowdgame.events.ticket_views import COUPONS_PER_FILE
from crowdgame.server.web.hosts import server_url
from games.engine.game import SIDES, Side
from voting.admission.admission import format_key
from voting.admission.links import display_address
from voting.models import Event, Ticket
from voting.terms import Admission, TeamChoice

FOUR_IN_A_ROW = {"simultaneous-captains-mistress", "single-selector", "captains-mistress"}
HINTS = {
    Admission.ROTATING: _("You also need the screen code"),
    Admission.TICKETS: _("Have your ticket ready"),
    Admission.ROSTER: _("Have your own code ready"),
}


@owner_page("GET")
def poster(request: HttpRequest, event: Event) -> HttpResponse:
    """Return the poster as PDF, with a page for both teams and one for each if they have their own links."""
    sides: tuple[Side | None, ...] = SIDES if event.team_choice == TeamChoice.LINK else (None,)
    with override(event.language):
        pdf = print_posters([_poster(request, event, side) for side in sides], _side_colors(event))
    return _pdf_response(f"poster-{event.code}", pdf)


def _poster(request: HttpRequest, event: Event, side: Side | None) -> Poster:
    red, yellow = event.teams.order_by("number")
    url = f"{server_url(request)}/{event.code}" + (f"/{SIDES.index(side) + 1}" if side else "")
    return Poster(
        event=event.name,
        code=event.code,
        teams=(red.name, yellow.name),
        url=url.upper(),  # alphanumeric mode: a QR code with fewer modules; case doesn't matter here
        address=display_address(url),
        hint=str(HINTS.get(Admission(event.admission), "")),
        side=side,
        board=event.game in FOUR_IN_A_ROW,
        logo=load_logo(event.shown_logo),
        brand_line=event.shown_brand_line,
    )


@owner_page("GET")
def ticket_sheets(request: HttpRequest, event: Event) -> HttpResponse:
    """Return a PDF of the tickets that were never used, of COUPONS_PER_FILE tickets per file.

    `?part=` selects the file. A ticket stays in its file when others are used. Redirects to the tickets page
    if there is none, or the fonts lack a glyph.
    """
    tickets = Paginator(event.tickets.order_by("label", "pk"), COUPONS_PER_FILE)
    part = tickets.get_page(request.GET.get("part"))
    unused = [ticket for ticket in part if ticket.first_used_at is None]
    if not unused:
        return redirect("console:tickets", code=event.code)
    teams = dict(event.teams.values_list("number", "name"))
    address = f"{server_url(request)}/{event.code}"
    try:
        with override(event.language):
            title = gettext("Codes of %(code)s") % {"code": event.code}
            coupons = [_coupon(event, teams, address, one) for one in unused]
            file = print_coupons(title, coupons, _side_colors(event))
    except Unprintable as character:
        text = gettext("The PDF cannot show the character “%(character)s”. Print codes from the CSV file.")
        messages.warning(request, text % {"character": character})
        return redirect("console:tickets", code=event.code)
    several = f"-{part.number}" if part.paginator.num_pages > 1 else ""
    return _pdf_response(f"tickets-{event.code}{several}", file)


def _side_colors(event: Event) -> dict[Side, Rgb]:
    teams = zip(SIDES, event.teams.order_by("number"), strict=True)
    return {side: read_rgb(team.color) for side, team in teams if team.color}


def _coupon(event: Event, teams: dict[int, str], address: str, ticket: Ticket) -> Coupon:
    return Coupon(
        holder=ticket.label or event.name,
        key=format_key(ticket.code),
        url=f"{address}#{ticket.code}",
        address=display_address(address),
        team=teams[ticket.team] if ticket.team else "",
        side=SIDES[ticket.team - 1] if ticket.team else None,
    )


def _pdf_response(name: str, pdf: bytes) -> HttpResponse:
    disposition = {"Content-Disposition": f'attachment; filename="{name}.pdf"'}
    return HttpResponse(pdf, "application/pdf", headers=disposition)
