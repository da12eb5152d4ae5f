"""The organizer's pages of cups: create, start pairings, give walkovers, rename, delete; team ratings."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from crowdgame.events.access import organizer_page
from crowdgame.events.audit_text import LogText
from crowdgame.events.event_edits import announce_page_edit, log_edit
from crowdgame.events.presets import PRESETS_BY_SLUG
from crowdgame.organizer.cups.board_view import content_version
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import (
    CupError,
    give_walkover,
    load_cup_progress,
    revoke_walkover,
    start_pairing,
)
from crowdgame.organizer.cups.forms import CUP_PRESETS, CupForm, cup_from_preset
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.name_form import CupNamesForm
from crowdgame.organizer.cups.renaming import rename_cup
from crowdgame.organizer.cups.team_ranking import list_played_games, rank_teams
from crowdgame.play.ratings.rating_ledger import START
from crowdgame.server.web.hosts import server_url
from voting.admission.admission import projector_key
from voting.admission.links import display_address

MAX_NUMBER_DIGITS = 4
RATINGS_PER_PAGE = 50
TEAM_NUMBERS = ("1", "2")
TEAM_FIELDS = ("name", "names", "filler", "format", "best_of", "language")


def own_cup(request: HttpRequest, code: str) -> Cup:
    """Return a cup of the user, for a superuser any. Raises Http404 for other organizers' cups, too."""
    user = cast(User, request.user)
    own = Cup.objects.all() if user.is_superuser else Cup.objects.filter(owner=user)
    return get_object_or_404(own, code=code.upper())


@organizer_page
@require_http_methods(["GET", "POST"])
def new_cup(request: HttpRequest) -> HttpResponse:
    """Show the form and create the cup. POST with a preset's slug fills in its settings; names typed stay."""
    like = request.POST.get("like", "")
    preset = PRESETS_BY_SLUG.get(like)
    typed = {name: request.POST[name] for name in TEAM_FIELDS if name in request.POST}
    form = CupForm(None if like else request.POST or None, instance=cup_from_preset(preset), initial=typed)
    if form.is_valid():
        cup = form.create(cast(User, request.user))
        text = _("“%(name)s” created. Its code is %(code)s.")
        messages.success(request, text % {"name": cup.name, "code": cup.code})
        return redirect("console:cup", code=cup.code)
    return render(request, "cups/new.html", {"form": form, "templates": CUP_PRESETS, "preset": preset})


@login_required
@require_http_methods(["GET", "POST"])
def cup_console(request: HttpRequest, code: str) -> HttpResponse:
    cup = own_cup(request, code)
    if request.method == "POST":
        return _handle_post(request, cup)
    address = f"{server_url(request)}/cup/{cup.code}"
    view = view_cup(load_cup_progress(cup))
    page = {
        "cup": cup,
        "view": view,
        "version": f"{content_version(view)}-{cup.shown_pairing}-{cup.display_key_version}",
        "address": display_address(address),
        "stage": _stage_path(cup),
    }
    return render(request, "cups/console.html", page)


@login_required
@require_safe
def open_stage(request: HttpRequest, code: str) -> HttpResponse:
    """Lead to the cup's big screen with its key, from the console of a pairing."""
    return redirect(_stage_path(own_cup(request, code)))


def _stage_path(cup: Cup) -> str:
    """The path with the key in its fragment, which browsers do not send."""
    return f"/stage/{cup.code}#{projector_key(cup.code, cup.display_key_version)}"


def _handle_post(request: HttpRequest, cup: Cup) -> HttpResponse:
    """Start or show a pairing, or give or revoke a walkover.

    Always redirects to a page with the current state.
    """
    ask, number = request.POST.get("ask", ""), request.POST.get("pairing", "")
    known = number.isascii() and number.isdecimal() and len(number) < MAX_NUMBER_DIGITS
    try:
        if known and ask == "begin":
            event = start_pairing(cup.pk, int(number))
            return redirect(f"{reverse('console:event', args=[event.code])}?cup={cup.code}")
        if known and ask == "show":
            Cup.objects.filter(pk=cup.pk).update(shown_pairing=int(number))
        elif known:
            _change_walkover(request, cup, int(number), ask)
    except CupError as refusal:
        messages.warning(request, str(refusal))
    return redirect("console:cup", code=cup.code)


def _change_walkover(request: HttpRequest, cup: Cup, number: int, ask: str) -> None:
    place = request.POST.get("place", "")
    if ask == "walkover" and place in TEAM_NUMBERS:
        winner = give_walkover(cup.pk, number, int(place))
        text = _("%(team)s wins by walkover. You can undo this below.")
        messages.success(request, text % {"team": winner})
    elif ask == "back":
        revoke_walkover(cup.pk, number)
        messages.success(request, _("Walkover undone. The pairing can be played."))


@login_required
@require_http_methods(["GET", "POST"])
def change_cup(request: HttpRequest, code: str) -> HttpResponse:
    cup = own_cup(request, code)
    form = CupNamesForm(cup, request.POST or None)
    if form.is_valid():
        _rename(request, cup, form)
        return redirect("console:cup", code=cup.code)
    return render(request, "cups/edit.html", {"form": form, "cup": cup})


def _rename(request: HttpRequest, cup: Cup, form: CupNamesForm) -> None:
    try:
        changed = rename_cup(cup.pk, form.cleaned_data["name"], form.team_names)
    except CupError as refusal:
        messages.warning(request, str(refusal))
        return
    what = LogText(gettext_noop("%(by)s changed names on the cup's page"))
    for event in changed:
        log_edit(request, event, "event.edit", what)
    if all(announce_page_edit(request, event) for event in changed):
        messages.success(request, _("Saved."))


@login_required
@require_http_methods(["GET", "POST"])
def remove_cup(request: HttpRequest, code: str) -> HttpResponse:
    cup = own_cup(request, code)
    if request.method == "POST":
        cup.delete()
        messages.success(request, _("“%(name)s” deleted. Its events were kept.") % {"name": cup.name})
        return redirect("console:events")
    return render(
        request, "cups/delete.html", {"cup": cup, "events": cup.pairings.exclude(event=None).count()}
    )


@login_required
@require_safe
def team_ladder(request: HttpRequest) -> HttpResponse:
    """`/console/ladder/`: the rating table of one game, with links to the organizer's other games."""
    owner = cast(User, request.user)
    games = list_played_games(owner)
    game = request.GET.get("game", games[0][0] if games else "")
    if game not in dict(games) and (games or game):
        raise Http404
    rows = Paginator(rank_teams(owner, game), RATINGS_PER_PAGE).get_page(request.GET.get("page"))
    context = {"games": games, "game": game, "rows": rows, "start": round(START)}
    return render(request, "cups/ladder.html", context)
