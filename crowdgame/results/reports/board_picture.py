"""`/board/CODE.png`: link preview picture (Open Graph image) of the board after the last resolved turn."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from crowdgame.results.reports.png import PictureQueueFull, render_picture
from crowdgame.server.web.hosts import server_url
from games.engine.errors import GameError
from games.engine.game import Board
from games.engine.registry import find_game, read_options
from voting.models import Event, Match, MatchResult
from voting.positions import load_position
from voting.records.exports import find_match, record_version

CACHE_MAX_AGE_S = 300
RETRY_AFTER_S = 10
WINNERS: dict[str | None, Any] = {MatchResult.RED: "red", MatchResult.YELLOW: "yellow"}


@require_safe
def board_picture(request: HttpRequest, code: str, number: int | None = None) -> HttpResponse:
    """Serve the picture of a match, by default the latest. Before the first match, the empty board.

    Answers 503 with Retry-After if the renderer is busy, and 404 without an event or a drawable board.
    """
    match = find_match(code, number)
    try:
        if match:
            picture = render_picture(record_version(match), _current_board(match), WINNERS.get(match.result))
        else:
            event = _require_event(code, number)
            picture = render_picture((event.game, str(event.options)), _first_board(event), None)
    except GameError:
        raise Http404 from None
    except PictureQueueFull:
        return HttpResponse(status=503, headers={"Retry-After": str(RETRY_AFTER_S)})
    answer = HttpResponse(picture, content_type="image/png")
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    return answer


def _current_board(match: Match) -> Board:
    position = load_position(match)
    return position.game.view(position.state, None)


def _require_event(code: str, number: int | None) -> Event:
    event = Event.objects.filter(code=code).first() if number is None else None
    if event is None:
        raise Http404
    return event


def _first_board(event: Event) -> Board:
    """Return a possible first board. The real lots are drawn at the start, so these are examples."""
    game = find_game(event.game)
    return game.view(game.start(game.draw_lots(read_options(game, event.options), 0)), None)


def picture_address(request: HttpRequest, code: str, match: Match | None, turns: int | None = None) -> str:
    """Return the picture's absolute URL.

    Its query changes with each resolved turn, because sites that show link previews cache pictures by URL.
    The view ignores it. `turns` is the number of resolved turns, counted here if it is not given.
    """
    base = server_url(request)
    if match is None:
        return f"{base}{reverse('board', args=[code])}"
    if turns is None:
        turns = match.turns.filter(resolved_at__isnull=False).count()
    return f"{base}{reverse('match_board', args=[code, match.number])}?turns={turns}"
