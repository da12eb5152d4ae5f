"""`/report/CODE/N/board`: the analysis board of a finished match, the match that it loads, and what it polls.

The browser computes the analysis. It needs to know what people vote on now, because it may not analyze that.
"""

import time
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowdgame.results.analysis.stored_analyses import are_shown, load_live_position
from crowdgame.server.web.built_page import built_page_response
from games.engine.game import Side
from games.engine.registry import find_game, read_options
from games.solver.positions import Position, read_position
from voting.models import Match
from voting.positions import load_position
from voting.records.exports import find_match
from voting.terms import MatchState


class LivePosition(msgspec.Struct, frozen=True):
    """The balls of a position that is voted on, as hexadecimal bits (see `games.solver.positions`)."""

    columns: int
    red: str
    yellow: str


class AnalyzableMatch(msgspec.Struct, frozen=True, kw_only=True):
    """`turns` has red's and yellow's picks, null for none. A color is empty if the team has no own one."""

    event: str
    number: int
    game: str
    options: Any
    teams: dict[Side, str]
    colors: dict[Side, str]
    turns: tuple[tuple[int | None, int | None], ...]


class LiveAnswer(msgspec.Struct, frozen=True):
    """What the event votes on now. `is_over`: it votes on nothing more."""

    live: LivePosition | None
    is_over: bool


@require_safe
def analysis_board(_request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve the page. Answers 404 unless the match may be analyzed, 503 if the frontend isn't built."""
    _find_analyzable(code, number)
    return built_page_response("analysis")


@require_safe
def analyzable_match(_request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve the match as JSON. Answers 404 unless it may be analyzed."""
    match = _find_analyzable(code, number)
    position = load_position(match)
    body = AnalyzableMatch(
        event=match.event.name,
        number=match.number,
        game=match.game,
        options=msgspec.to_builtins(read_options(position.game, match.options)),
        teams={"red": match.red.name, "yellow": match.yellow.name},
        colors={"red": match.red.color, "yellow": match.yellow.color},
        turns=tuple((turn.red_pick, turn.yellow_pick) for turn in position.turns),
    )
    return HttpResponse(msgspec.json.encode(body), "application/json", headers={"Cache-Control": "no-store"})


@require_safe
def live_position(_request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve what the event votes on now as JSON. Answers 404 unless the match may be analyzed."""
    event = _find_analyzable(code, number).event
    live = load_live_position(event.pk)
    is_over = live is None and event.ends_at is not None and event.ends_at <= 1_000 * time.time()
    return HttpResponse(
        msgspec.json.encode(LiveAnswer(_describe(live) if live else None, is_over)), "application/json"
    )


def has_analysis_board(match: Match) -> bool:
    """Return whether a match is over, its analysis may be shown and the solver knows its game."""
    if match.state == MatchState.PLAYING or not are_shown(match.event, match):
        return False
    game = find_game(match.game)
    return read_position(game.start(read_options(game, match.options))) is not None


def _find_analyzable(code: str, number: int) -> Match:
    match = find_match(code, number)
    if match is None or not has_analysis_board(match):
        raise Http404
    return match


def _describe(live: Position) -> LivePosition:
    return LivePosition(live.columns, f"{live.red:x}", f"{live.yellow:x}")
