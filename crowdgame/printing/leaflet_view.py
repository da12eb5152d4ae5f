"""`/rules`, a page to print for a class, and `/about`, where the game comes from. For anybody."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowdgame.printing.leaflet import FIRST_GAME, GAME, draw_empty_board, draw_scenes
from crowdgame.web.paper import answer_paper, render_paper
from games.engine.registry import all_games

FRESH_S = 300


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return answer_paper(_rules(), FRESH_S)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return answer_paper(_about(), FRESH_S)


@cache
def _rules() -> str:
    context = {"pictures": draw_scenes(), "first_game": draw_empty_board(FIRST_GAME)}
    return render_paper("printing/rules.html", context)


@cache
def _about() -> str:
    games = [game for slug, game in all_games().items() if game.rules and slug != GAME]
    return render_paper("printing/about.html", {"board": draw_scenes()[3].after, "games": games})
