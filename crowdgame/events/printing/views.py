"""Public printable pages: `/rules`, a leaflet of the rules, and `/about`, the origin of the game."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from crowdgame.events.printing.rules_leaflet import (
    FIRST_GAME_OPTIONS,
    RULES_GAME,
    draw_empty_board,
    draw_examples,
)
from crowdgame.server.web.paper import paper_response, render_paper_page
from games.engine.registry import all_games

CACHE_MAX_AGE_S = 300


@require_safe
def rules(request: HttpRequest) -> HttpResponse:
    return paper_response(_rules(get_language()), CACHE_MAX_AGE_S)


@require_safe
def rules_of(request: HttpRequest, game: str) -> HttpResponse:
    """Redirect to the leaflet, or to the page that explains the other games."""
    return redirect("rules" if game == RULES_GAME else "about")


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    return paper_response(_about(get_language()), CACHE_MAX_AGE_S)


@cache
def _rules(_language: str) -> str:
    context = {"pictures": draw_examples(), "first_game": draw_empty_board(FIRST_GAME_OPTIONS)}
    return render_paper_page("printing/rules.html", context)


@cache
def _about(_language: str) -> str:
    games = [
        (gettext(game.title), gettext(game.rules))
        for slug, game in all_games().items()
        if game.rules and slug != RULES_GAME
    ]
    return render_paper_page("printing/about.html", {"board": draw_examples()[3].after, "games": games})
