"""`/play/`: games of one against one. With the first game a guest gets a name and a cookie."""

from functools import cache
from typing import get_args

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from redis import RedisError

from crowdgame.accounts.guest_cookie import guest_of, known
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.accounts.views import AWAY
from crowdgame.duels.duel_view import view_duel
from crowdgame.duels.duels import (
    PlayError,
    begin_against_crowd,
    check_room,
    find_duel,
    join_duel,
    key_of,
    new_duel,
    place_of,
)
from crowdgame.duels.forms import DuelForm
from crowdgame.duels.lists import KINDS, Kind, Line, clean_query, games_for, latest, page_of
from crowdgame.duels.models import Duel
from crowdgame.duels.rematch import request_rematch
from crowdgame.reports.preview_view import picture_address
from voting.admission.links import qr_path
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.types import Held

SHORT = 6
TITLES: dict[Kind, str] = {"open": "Waiting for somebody", "running": "Being played", "finished": "Over"}

EXPECTED_ERRORS = (PlayError, RedisError)

ballot_box = cache(BallotBox)


@require_safe
def play(request: HttpRequest) -> HttpResponse:
    return _play_page(request)


def _play_page(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    guest = guest_of(request)
    query = clean_query(request.GET.get("q", ""))
    mine = _games_for(guest) if guest else []
    context = {
        "guest": guest,
        "mine": [] if query else mine,
        "turns": sum(line.your_turn for line in mine),
        "lists": [(kind, TITLES[kind], *latest(kind, SHORT, query)) for kind in KINDS],
        "query": query,
        "form": DuelForm(),
        "problem": problem,
    }
    return render(request, "duels/play.html", context, status=status)


def _games_for(guest: Guest) -> list[Line]:
    """Without the ballot box nobody knows whose turn it is; the games stand there all the same."""
    try:
        return games_for(guest, ballot_box())
    except RedisError:
        return games_for(guest, None)


@require_safe
def game_list(request: HttpRequest, kind: str) -> HttpResponse:
    """All games of a kind, page by page."""
    if kind not in get_args(Kind):
        raise Http404
    query = clean_query(request.GET.get("q", ""))
    context = {
        "guest": guest_of(request),
        "kind": kind,
        "title": TITLES[kind],  # type: ignore[index]
        "page": page_of(kind, request.GET.get("page"), query=query),  # type: ignore[arg-type]
        "query": query,
    }
    return render(request, "duels/list.html", context)


@require_safe
def go(request: HttpRequest) -> HttpResponse:
    """To an event, by the code that somebody typed."""
    code = "".join(char for char in request.GET.get("code", "") if char.isalnum())[:8]
    return redirect(f"/{code.upper()}")


@require_POST
def new_game(request: HttpRequest) -> HttpResponse:
    form = DuelForm(request.POST)
    if not form.is_valid():
        return _play_page(request, "This game cannot be played: look at its options.", 400)
    try:
        check_room()
        guest = guest_of(request) or new_guest()
        duel = new_duel(guest, form.duel_settings())
    except PlayError as refusal:
        return _play_page(request, str(refusal), 409)
    invites = duel.crowd or not duel.listed
    return known(redirect("duel", duel.event.code) if invites else _board(duel, guest), guest)


@require_safe
def duel(request: HttpRequest, code: str) -> HttpResponse:
    """A game's own page: who plays it, the link to invite with, the way in."""
    return _duel(request, _find(code))


def _duel(request: HttpRequest, duel: Duel, problem: str = "", status: int = 200) -> HttpResponse:
    guest = guest_of(request)
    match = duel.event.matches.select_related("red", "rated").order_by("-number").first()
    view = view_duel(duel, match, guest, _present(duel))
    base = settings.PUBLIC_URL or f"{request.scheme}://{request.get_host()}"
    link = f"{base}/play/{duel.event.code}"
    size, path = qr_path(link.upper())
    context = {
        "guest": guest,
        "duel": duel,
        "view": view,
        "link": link,
        "qr": path,
        "qr_size": size,
        "problem": problem,
        "picture": picture_address(request, duel.event.code, match),
    }
    return render(request, "duels/duel.html", context, status=status)


def _present(duel: Duel) -> Held:
    try:
        return ballot_box().present(duel.event_id)
    except RedisError:
        return Held()


def _refused(request: HttpRequest, duel: Duel, error: Exception) -> HttpResponse:
    if isinstance(error, RedisError):
        return _duel(request, duel, AWAY, 503)
    return _duel(request, duel, str(error), 409)


@require_POST
def rematch(request: HttpRequest, code: str) -> HttpResponse:
    """Ask for another match, and wait for the other one at the board."""
    duel, guest = _find(code), guest_of(request)
    if guest is None or not place_of(duel, guest):
        return _duel(request, duel, "Only the two who played can play again.", 403)
    try:
        request_rematch(duel.event_id, place_of(duel, guest), ballot_box())
    except EXPECTED_ERRORS as error:
        return _refused(request, duel, error)
    return _board(duel, guest)


@require_POST
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Take the free seat, or go back to one's own."""
    duel = _find(code)
    if not place_of(duel, None) and guest_of(request) is None:
        return _duel(request, duel, "Both seats are taken.", 409)
    guest = guest_of(request) or new_guest()
    try:
        duel = join_duel(code, guest, ballot_box())
    except EXPECTED_ERRORS as error:
        return known(_refused(request, duel, error), guest)
    return known(_board(duel, guest), guest)


@require_POST
def begin(request: HttpRequest, code: str) -> HttpResponse:
    """Against a crowd: whoever made the game says when."""
    duel, guest = _find(code), guest_of(request)
    if guest is None:
        return _duel(request, duel, "Only whoever made this game can begin it.", 409)
    try:
        duel = begin_against_crowd(code, guest, ballot_box())
    except EXPECTED_ERRORS as error:
        return _refused(request, duel, error)
    return _board(duel, guest)


def _board(duel: Duel, guest: Guest) -> HttpResponse:
    """The key is behind the #: no log and no other page hears of it."""
    answer = HttpResponseRedirect(f"/{duel.event.code}#{key_of(duel, guest)}")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _find(code: str) -> Duel:
    try:
        return find_duel(code)
    except Duel.DoesNotExist:
        raise Http404 from None
