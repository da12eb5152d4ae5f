"""`/board/CODE/N.svg`: a match as an animated picture, one board per resolved turn, in an endless loop."""

from collections.abc import Iterator, Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowdgame.results.reports.color_sheet import DEFAULT_COLORS, Colors, match_colors
from crowdgame.results.reports.png import board_style
from crowdgame.results.reports.thumbnail import picture_response
from games.drawing.board_drawing import BALLS, draw_board
from games.engine.errors import GameError
from games.engine.game import Board, Picks
from games.engine.registry import read_options
from voting.models import Match
from voting.positions import load_position
from voting.records.exports import find_match
from voting.terms import MatchState

FRAME_S, LAST_FRAME_S = 1.2, 4.0
ENDED_MAX_AGE_S = 300  # the last turn of a match can be taken back


@require_safe
def animation(request: HttpRequest, code: str, number: int) -> HttpResponse:
    """Serve the picture. Answers 404 without a match or a board that can be drawn."""
    match = find_match(code, number)
    if match is None:
        raise Http404
    try:
        picture = draw_animation(_load_boards(match), match_colors(match))
    except GameError:
        raise Http404 from None
    return picture_response(picture, 0 if match.state == MatchState.PLAYING else ENDED_MAX_AGE_S)


def _load_boards(match: Match) -> list[Board]:
    """Return the boards before the first and after each resolved turn."""
    position = load_position(match)
    game = position.game
    state = game.start(read_options(game, match.options))
    boards = [game.view(state, None)]
    for turn in position.turns:
        state, _ = game.resolve(state, Picks(turn.red_pick, turn.yellow_pick))
        boards.append(game.view(state, None))
    return boards


def draw_animation(boards: Sequence[Board], colors: Colors = DEFAULT_COLORS) -> str:
    """Return an SVG document that shows each board for FRAME_S, and the last for LAST_FRAME_S."""
    drawn = [draw_board(board, "") for board in boards]
    view_box = drawn[-1].partition('viewBox="')[2].partition('"')[0]
    frames = "".join(_frames(drawn))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}">'
        f"<style>{board_style(colors)}</style>{BALLS}{frames}</svg>"
    )


def _frames(drawn: Sequence[str]) -> Iterator[str]:
    """Yield each frame. Where nothing moves, such as in a printed page, the last one is visible."""
    last = len(drawn) - 1
    total_s = last * FRAME_S + LAST_FRAME_S
    for number, board in enumerate(drawn):
        begins, ends = (round(frame * FRAME_S / total_s, 4) for frame in (number, number + 1))
        shown = [(0.0, "hidden")] * (number > 0) + [(begins, "visible")]
        shown += [(ends, "hidden")] * (number < last)
        times, values = (";".join(map(str, column)) for column in zip(*shown, strict=True))
        at_rest = "visible" if number == last else "hidden"
        yield (
            f'<g visibility="{at_rest}"><animate attributeName="visibility" calcMode="discrete" '
            f'dur="{total_s:g}s" repeatCount="indefinite" keyTimes="{times}" values="{values}"/>{board}</g>'
        )
