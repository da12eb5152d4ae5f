"""`/play/ratings`: the rating tables of duels, one per game."""

from collections.abc import Iterator
from itertools import groupby
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from crowdgame.accounts.guest_cookie import current_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import DEFAULT_GAME
from crowdgame.play.ratings.computer_results import ComputerResult, load_computer_results
from crowdgame.play.ratings.match_ratings import MAX_RATED_PER_DAY
from crowdgame.play.ratings.rating_ledger import START
from crowdgame.play.ratings.rating_table import list_rated_games, load_guest_row, load_table_page
from games.engine.registry import game_title

MAX_QUERY_LENGTH = 20


@require_safe
def ratings(request: HttpRequest) -> HttpResponse:
    games = list_rated_games()
    game = request.GET.get("game", DEFAULT_GAME)
    if game not in dict(games):
        raise Http404
    query = request.GET.get("q", "")[:MAX_QUERY_LENGTH].strip()
    guest = current_guest(request)
    context = {
        "guest": guest,
        "games": games,
        "game": game,
        "title": dict(games)[game],
        "query": query,
        "page": load_table_page(game, request.GET.get("page"), query, guest),
        "mine": load_guest_row(guest, game) if guest else None,
        "computer": list(_computer_results(guest)) if guest else (),
        "kept": urlencode({"game": game} | ({"q": query} if query else {})),
        "rules": {"start": round(START), "a_day": MAX_RATED_PER_DAY},
    }
    return render(request, "ratings/ratings.html", context)


def _computer_results(guest: Guest) -> Iterator[tuple[str, list[ComputerResult]]]:
    """Yield each game's title, and the guest's results by strength."""
    for game, results in groupby(load_computer_results(guest), key=lambda result: result["game"]):
        yield gettext(game_title(game)), list(results)
