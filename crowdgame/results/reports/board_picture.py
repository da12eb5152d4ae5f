"""`/board/CODE.png`: link preview picture (Open Graph image) of the result, with the latest board."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from crowdgame.results.reports.color_sheet import match_colors
from crowdgame.results.reports.png import PictureQueueFull, board_style, render_picture
from crowdgame.results.reports.preview import draw_preview
from crowdgame.results.reports.reading import read_report
from crowdgame.results.reports.sentences import describe_result
from crowdgame.server.web.hosts import server_url
from games.engine.errors import GameError
from games.engine.game import SIDES
from games.engine.registry import find_game, read_options
from voting.metrics.metrics import count_refusal
from voting.models import Event, Match
from voting.records.exports import find_match

CACHE_MAX_AGE_S = 300
RETRY_AFTER_S = 10


@require_safe
def board_picture(request: HttpRequest, code: str, number: int | None = None) -> HttpResponse:
    """Serve the picture of a match, by default the latest. Before the first match, the empty board.

    Answers 503 with Retry-After if the renderer is busy, and 404 without an event or a drawable board.
    """
    match = find_match(code, number)
    try:
        picture = render_picture(_draw_match(match) if match else _draw_event(_require_event(code, number)))
    except GameError:
        raise Http404 from None
    except PictureQueueFull:
        count_refusal("download")
        return HttpResponse(status=503, headers={"Retry-After": str(RETRY_AFTER_S)})
    answer = HttpResponse(picture, content_type="image/png")
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    return answer


def _draw_match(match: Match) -> str:
    report = read_report(match)
    with override(match.event.language):
        title = describe_result(report)
    return draw_preview(report.board, report.winner, board_style(match_colors(match)), title, report.teams)


def _require_event(code: str, number: int | None) -> Event:
    event = Event.objects.filter(code=code).first() if number is None else None
    if event is None:
        raise Http404
    return event


def _draw_event(event: Event) -> str:
    """Draw a possible first board. The real lots are drawn at the start, so these are examples."""
    game = find_game(event.game)
    board = game.view(game.start(game.draw_lots(read_options(game, event.options), 0)), None)
    red, yellow = event.teams.order_by("number")
    names = dict(zip(SIDES, (red.name, yellow.name), strict=True))
    return draw_preview(board, None, board_style((red.color, yellow.color)), event.name, names)


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
