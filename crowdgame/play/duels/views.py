"""`/play/`: the Play page and the pages of duels. A guest gets a number and a cookie with the first game."""

from contextlib import suppress
from functools import cache
from http import HTTPStatus
from typing import cast, get_args
from urllib.parse import quote

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe
from redis import RedisError

from crowdgame.accounts.guest_cookie import current_guest, set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.conditional_picks import plan_pick, remove_pick
from crowdgame.play.duels.creation_limits import check_creation_limits, hash_network
from crowdgame.play.duels.duel_matches import list_series
from crowdgame.play.duels.duel_view import view_duel
from crowdgame.play.duels.duels import (
    PlayError,
    creation_lock,
    find_duel,
    join_duel,
    new_duel,
    seat_number,
    start_for_one,
    withdraw_duel,
)
from crowdgame.play.duels.forms import DuelForm
from crowdgame.play.duels.lists import (
    DUEL_LIST_KINDS,
    PlayLists,
    clean_query,
    load_page,
    load_play_lists,
)
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.player_actions import perform
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.results.reports.board_picture import picture_address
from crowdgame.server.web.errors import unavailable_page
from crowdgame.server.web.hosts import server_url
from voting.admission.links import qr_path
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.protocol import DuelAction
from voting.typed_codes import JOIN_CODE, normalize_code

SHORT_LIST_LENGTH = 6
MAX_DIGITS = 18  # of a number in a form
TITLES = {
    "open": _("Waiting for an opponent"),
    "running": _("Live"),
    "finished": _("Finished"),
}

ballot_box = cache(BallotBox)


@require_safe
def play(request: HttpRequest) -> HttpResponse:
    return _play_page(request)


def _play_page(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    query = clean_query(request.GET.get("q", ""))
    lists = _load_lists(guest, query)
    context = {
        "guest": guest,
        "mine": [] if query else lists.mine,
        "turns": sum(line.your_turn for line in lists.mine),
        "lists": [(games.kind, TITLES[games.kind], games.lines, games.more) for games in lists.latest],
        "showcase": None if query else lists.showcase,
        "query": query,
        "form": DuelForm(initial=request.POST.dict()),  # what was chosen for a refused game
        "problem": problem,
    }
    return render(request, "duels/play.html", context, status=status)


def _load_lists(guest: Guest | None, query: str) -> PlayLists:
    """Load the lists of the Play page. Without Redis, no game shows as the guest's turn."""
    try:
        return load_play_lists(guest, ballot_box(), SHORT_LIST_LENGTH, query)
    except RedisError:
        return load_play_lists(guest, None, SHORT_LIST_LENGTH, query)


@require_safe
def game_list(request: HttpRequest, kind: str) -> HttpResponse:
    """List all games of a kind, in pages."""
    if kind not in DUEL_LIST_KINDS:
        raise Http404
    query = clean_query(request.GET.get("q", ""))
    context = {
        "guest": current_guest(request),
        "kind": kind,
        "title": TITLES[kind],
        "page": load_page(kind, request.GET.get("page"), query=query),
        "query": query,
    }
    return render(request, "duels/list.html", context)


@require_safe
def go_to_event(request: HttpRequest) -> HttpResponse:
    """Redirect to an event by the code or the address that was typed. Raises Http404 if it is none."""
    address, _, ticket = request.GET.get("code", "").partition("#")
    code = normalize_code(address)
    if not JOIN_CODE.fullmatch(code):
        raise Http404
    key = normalize_code(ticket)
    return redirect(f"/{code}#{quote(key)}" if key else f"/{code}")


@require_POST
def new_game(request: HttpRequest) -> HttpResponse:
    form = DuelForm(request.POST)
    if not form.is_valid():
        return _play_page(request, gettext("The game was not created. Check its options."), 400)
    try:
        guest, network = current_guest(request), hash_network(request.META.get("REMOTE_ADDR", ""))
        with creation_lock():
            check_creation_limits(guest, network)
            guest = guest or new_guest()
            duel = new_duel(guest, form.duel_settings(), network)
        if duel.bot:
            with suppress(RedisError):  # the page then has a button to start it
                start_for_one(duel.event.code, guest, ballot_box())
    except PlayError as refusal:
        return _play_page(request, str(refusal), 409)
    return set_guest_cookie(redirect("duel", duel.event.code), guest)


@require_safe
def duel(request: HttpRequest, code: str) -> HttpResponse:
    """Show a duel's page: board, players, turns and chat, the link to share, the button to join."""
    try:
        return _duel_page(request, find_duel(code))
    except Duel.DoesNotExist:
        return _gone_page(request, code)


def _gone_page(request: HttpRequest, code: str) -> HttpResponse:
    """Explain a code without a game. Raises Http404 for what can't be a code."""
    if not JOIN_CODE.fullmatch(code):
        raise Http404
    context = {"guest": current_guest(request)}
    return render(request, "duels/gone.html", context, status=HTTPStatus.GONE)


def _duel_page(request: HttpRequest, duel: Duel, problem: str = "", status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    resolved = Count("turns", filter=Q(turns__resolved_at__isnull=False))
    played = duel.event.matches.select_related("red", "yellow", "rated").annotate(resolved=resolved)
    matches = list(played.order_by("number"))
    match = matches[-1] if matches else None
    view = view_duel(duel, match, guest, _load_presence(duel))
    link = f"{server_url(request)}/play/{duel.event.code}"
    size, path = qr_path(link.upper())
    context = {
        "guest": guest,
        "duel": duel,
        "match": match,
        "view": view,
        "series": list_series(matches),
        "link": link,
        "qr": path,
        "qr_size": size,
        "problem": problem,
        "picture": picture_address(request, duel.event.code, match, match.resolved if match else None),
    }
    return render(request, "duels/duel.html", context, status=status)


def _load_presence(duel: Duel) -> PresenceCounts:
    try:
        return ballot_box().count_present(duel.event_id)
    except RedisError:
        return PresenceCounts()


@require_POST
def rematch(request: HttpRequest, code: str) -> HttpResponse:
    """Ask for a rematch."""
    duel, guest = _require_duel(code), current_guest(request)
    if guest is None or not seat_number(duel, guest):
        return _duel_page(request, duel, gettext("Only the two players can ask for a rematch."), 403)
    try:
        request_rematch(duel.event_id, seat_number(duel, guest), ballot_box())
    except PlayError as refusal:
        return _duel_page(request, duel, str(refusal), 409)
    return redirect("duel", duel.event.code)


@require_POST
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Take the free seat, or return to one's own."""
    try:
        duel = find_duel(code)
    except Duel.DoesNotExist:
        return _gone_page(request, code)
    if not seat_number(duel, None) and current_guest(request) is None:
        return _duel_page(request, duel, gettext("Both seats are taken."), 409)
    guest = current_guest(request) or new_guest()
    try:
        answer: HttpResponse = redirect("duel", join_duel(code, guest, ballot_box()).event.code)
    except PlayError as refusal:
        answer = _duel_page(request, duel, str(refusal), 409)
    except RedisError:  # the guest may have the seat
        answer = unavailable_page(request)
    return set_guest_cookie(answer, guest)


@require_POST
def withdraw(request: HttpRequest, code: str) -> HttpResponse:
    """Delete the player's own game that nobody has joined."""
    duel, guest = _require_duel(code), current_guest(request)
    if guest is None:
        return _duel_page(
            request, duel, gettext("Only the player who created this game can withdraw it."), 403
        )
    try:
        withdraw_duel(code, guest)
    except PlayError as refusal:
        return _duel_page(request, duel, str(refusal), 409)
    return redirect("play")


@require_POST
def act(request: HttpRequest, code: str, what: str) -> HttpResponse:
    """Resign, abort, make, accept or decline an offer, in the turn that the player saw."""
    duel, guest = _require_duel(code), current_guest(request)
    team, turn = seat_number(duel, guest) if guest else 0, request.POST.get("turn", "")
    if what not in get_args(DuelAction) or not turn.isdecimal():
        raise Http404
    if not team:
        return _duel_page(request, duel, gettext("Only the two players can do that."), 403)
    try:
        perform(duel.event_id, team, cast(DuelAction, what), int(turn), ballot_box())
    except PlayError as refusal:
        return _duel_page(request, duel, str(refusal), 409)
    return redirect("duel", code)


@require_POST
def plan(request: HttpRequest, code: str) -> HttpResponse:
    """Add a conditional pick to the player's plan, or remove one, in the turn that the player saw."""
    duel, guest = _require_duel(code), current_guest(request)
    team = seat_number(duel, guest) if guest else 0
    posted = [request.POST.get(name, "")[:MAX_DIGITS] for name in ("turn", "theirs", "own")]
    turn, theirs, own = (int(text) if text.isdecimal() else 0 for text in posted)
    if not team:
        return _duel_page(request, duel, gettext("Only the two players can do that."), 403)
    try:
        if "remove" in request.POST:
            remove_pick(duel.event_id, team, turn, theirs)
        else:
            plan_pick(duel.event_id, team, turn, theirs, own)
    except PlayError as refusal:
        return _duel_page(request, duel, str(refusal), 409)
    return redirect(f"{reverse('duel', args=[code])}#plan")


@require_POST
def begin(request: HttpRequest, code: str) -> HttpResponse:
    """Start the match against a crowd or the computer. Only for the duel's creator."""
    duel, guest = _require_duel(code), current_guest(request)
    if guest is None:
        return _duel_page(request, duel, gettext("Only the player who created this game can start it."), 409)
    try:
        start_for_one(code, guest, ballot_box())
    except PlayError as refusal:
        return _duel_page(request, duel, str(refusal), 409)
    return redirect("duel", duel.event.code)


def _require_duel(code: str) -> Duel:
    try:
        return find_duel(code)
    except Duel.DoesNotExist:
        raise Http404 from None
