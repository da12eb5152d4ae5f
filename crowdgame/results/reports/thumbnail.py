"""`/board/CODE/N/TURNS.svg`: small picture of the board after so many turns, for lists and replays."""

from functools import lru_cache

from csp.constants import UNSAFE_INLINE
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowdgame.results.reports.color_sheet import DEFAULT_COLORS, Colors, match_colors
from crowdgame.results.reports.png import board_style
from crowdgame.server.web.content_policy import strict_policy
from games.drawing.board_drawing import BALLS, draw_board
from games.engine.errors import GameError
from games.engine.game import Board
from voting.models import Match, TurnState
from voting.positions import replay
from voting.records.exports import find_match
from voting.terms import MatchState

MAX_CACHED = 256
LIVE_MAX_AGE_S, ENDED_MAX_AGE_S = 300, 24 * 3600  # turns of a live match can be taken back
POLICY = strict_policy({"style-src": [UNSAFE_INLINE]})


@require_safe
def thumbnail(request: HttpRequest, code: str, number: int, turns: int) -> HttpResponse:
    """Serve the picture. Answers 404 if the match has fewer resolved turns, or no board that can be drawn."""
    match = find_match(code, number)
    if match is None:
        raise Http404
    try:
        picture = draw_thumbnail(_load_board(match, turns), match_colors(match))
    except GameError:
        raise Http404 from None
    return picture_response(picture, LIVE_MAX_AGE_S if match.state == MatchState.PLAYING else ENDED_MAX_AGE_S)


def picture_response(picture: str, max_age_s: int) -> HttpResponse:
    """Return an SVG document. 0 means no-cache."""
    answer = HttpResponse(picture, content_type="image/svg+xml")
    answer.headers["Cache-Control"] = f"public, max-age={max_age_s}" if max_age_s else "no-cache"
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _load_board(match: Match, turns: int) -> Board:
    resolved = list(match.turns.filter(state=TurnState.RESOLVED).order_by("number")[:turns])
    if len(resolved) < turns:
        raise Http404
    position = replay(match, resolved)
    return position.game.view(position.state, None)


@lru_cache(MAX_CACHED)
def draw_thumbnail(board: Board, colors: Colors = DEFAULT_COLORS) -> str:
    """Return the board as an SVG document of its own."""
    opening, _, rest = draw_board(board, "").partition(">")
    root = opening.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f"{root}><style>{board_style(colors)}</style>{BALLS}{rest}"
