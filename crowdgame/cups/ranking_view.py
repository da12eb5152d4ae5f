"""`/console/ladder/`: the rating tables of an organizer's teams."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from crowdgame.cups.team_ranking import list_played_games, rank_teams
from crowdgame.ratings.rating_ledger import START


@login_required
@require_safe
def team_ladder(request: HttpRequest) -> HttpResponse:
    """Show the table of one game, with links to the other games of the organizer's teams."""
    owner = cast(User, request.user)
    games = list_played_games(owner)
    game = request.GET.get("game", games[0][0] if games else "")
    if game not in dict(games) and (games or game):
        raise Http404
    context = {"games": games, "game": game, "rows": rank_teams(owner, game), "start": round(START)}
    return render(request, "cups/ladder.html", context)
