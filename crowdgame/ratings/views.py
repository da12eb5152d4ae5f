"""`/play/ratings`: how strong the hall's guests are, a table a game."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from crowdgame.accounts.guest_cookie import guest_of
from crowdgame.duels.duels import USUAL_GAME
from crowdgame.ratings.ledger import START
from crowdgame.ratings.matches import MAX_RATED_PER_DAY, MIN_RATED_TURNS
from crowdgame.ratings.table import games_in_table, row_of, table_page

MOST_TYPED = 20


@require_safe
def ratings(request: HttpRequest) -> HttpResponse:
    games = games_in_table()
    game = request.GET.get("game", USUAL_GAME)
    if game not in dict(games):
        raise Http404
    query = request.GET.get("q", "")[:MOST_TYPED].strip()
    guest = guest_of(request)
    context = {
        "guest": guest,
        "games": games,
        "game": game,
        "title": dict(games)[game],
        "query": query,
        "page": table_page(game, request.GET.get("page"), query, guest),
        "mine": row_of(guest, game) if guest else None,
        "kept": urlencode({"game": game} | ({"q": query} if query else {})),
        "rules": {"start": round(START), "turns": MIN_RATED_TURNS, "a_day": MAX_RATED_PER_DAY},
    }
    return render(request, "ratings/ratings.html", context)
