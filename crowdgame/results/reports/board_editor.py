"""`/board`: a position that anyone can set up turn by turn, and share by its address.

The query names the game, its options and the turns: `?game=captains-mistress&columns=7&turns=40-05`. A turn
is two digits, the columns of red and of yellow, or two numbers with a dot between them: `10.3`. 0 stands for
no column. Only games on a grid of columns have this page.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import msgspec
from csp.constants import SELF
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from crowdgame.results.reports.report_view import describe_columns
from crowdgame.server.web.content_policy import strict_policy
from crowdgame.server.web.hosts import server_url
from crowdgame.server.web.paper import SOURCES, paper_response, render_paper_page
from games.drawing.board_drawing import Highlights, draw_board
from games.engine.errors import GameError
from games.engine.game import SIDES, Board, Side
from games.engine.record import GameRecord, Replayed, replay
from games.engine.registry import all_games, find_game, read_options
from voting.models import Match, Turn

POLICY = strict_policy({**SOURCES, "form-action": [SELF]})
LAST_DIGIT = 9
DEFAULT_GAME = "simultaneous-captains-mistress"
TURN = re.compile(r"(?:[0-9]{2}|[0-9]{1,3}\.[0-9]{1,3})")
TURNS = re.compile(rf"(?:{TURN.pattern}(?:-{TURN.pattern}){{0,99}})?")


class BadPosition(Exception):
    """The address describes no position. The message is for users."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a side may choose in the next turn."""

    side: Side
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PositionView:
    """The page's data. `fields` is the query without the turns, `picture` safe HTML.

    `back` is the address without the last turn, `start` that without any; empty before the first turn.
    """

    title: str
    fields: Mapping[str, str]
    turns: str
    number: int
    picture: str
    result: str
    token: Side | None
    choices: tuple[Choice, ...]
    back: str
    start: str


@require_safe
def board_editor(request: HttpRequest) -> HttpResponse:
    """Show the position. A query with `red` and `yellow` adds a turn, and redirects to the new position.

    Answers 400 if the query describes no position, and shows the one before the first impossible turn.
    """
    problem, query = "", request.GET.dict()
    added = ""
    try:
        fields, turns, added = _read_fields(query), _read_turns(query), _read_added(query)
    except BadPosition as refusal:
        problem, fields, turns = str(refusal), {"game": DEFAULT_GAME}, []
    turns += [added] if added else []
    replayed = _replay(fields, turns)
    if replayed.error_turn:
        problem = _("Turn %(number)s is not possible in this position.") % {"number": replayed.error_turn}
    elif added:
        return redirect(_address(fields, turns))
    view = _view(fields, turns[: len(replayed.resolutions)], replayed)
    context = {
        "view": view,
        "problem": problem,
        "link": server_url(request) + _address(fields, view.turns.split("-") if view.turns else []),
        "games": [(game.slug, _(game.title)) for game in all_games().values() if _has_columns(game.slug)],
    }
    answer = paper_response(render_paper_page("reports/board_editor.html", context), 0)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.status_code = 400 if problem else 200
    return answer


def editor_address(match: Match, turns: Iterable[Turn]) -> str:
    """Return the address of a match's position after these turns; empty if its game has no columns."""
    if not _has_columns(match.game):
        return ""
    stored = msgspec.to_builtins(read_options(find_game(match.game), match.options))
    fields = {"game": match.game, **{name: str(value) for name, value in stored.items()}}
    return _address(fields, [_write_turn(turn.red_pick or 0, turn.yellow_pick or 0) for turn in turns])


def _read_fields(query: Mapping[str, str]) -> dict[str, str]:
    """Return the game and its options. Raises BadPosition."""
    slug = query.get("game", DEFAULT_GAME)
    try:
        names = find_game(slug).options.__struct_fields__
        fields = {"game": slug, **{name: query[name] for name in names if name in query}}
        if not _has_columns(slug):
            raise BadPosition(_("This game has no board of columns."))
        _replay(fields, [])
    except GameError:
        raise BadPosition(_("There is no such game, or not with these options.")) from None
    return fields


def _read_turns(query: Mapping[str, str]) -> list[str]:
    turns = _check_turns(query.get("turns", ""), TURNS)
    return turns.split("-") if turns else []


def _read_added(query: Mapping[str, str]) -> str:
    """Return the turn to add; empty if the query has none."""
    if not set(SIDES) & set(query):
        return ""
    chosen = _check_turns(".".join(query.get(side) or "0" for side in SIDES), TURN)
    return _write_turn(*_read_turn(chosen))


def _check_turns(turns: str, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(turns):
        raise BadPosition(_("The turns in this address cannot be read."))
    return turns


def _write_turn(red: int, yellow: int) -> str:
    return f"{red}.{yellow}" if max(red, yellow) > LAST_DIGIT else f"{red}{yellow}"


def _read_turn(turn: str) -> tuple[int, int]:
    red, yellow = turn.split(".") if "." in turn else list(turn)
    return int(red), int(yellow)


def _has_columns(slug: str) -> bool:
    try:
        return replay(GameRecord(slug, _draw_lots(slug, {}))).board.kind == "columns"
    except GameError:
        return False


def _draw_lots(slug: str, raw: Mapping[str, str]) -> object:
    game = find_game(slug)
    return msgspec.to_builtins(game.draw_lots(read_options(game, raw, strict=False), 0))


def _replay(fields: Mapping[str, str], turns: list[str]) -> Replayed:
    raw = {name: value for name, value in fields.items() if name != "game"}
    picks = tuple({"red": red or None, "yellow": yellow or None} for red, yellow in map(_read_turn, turns))
    return replay(GameRecord(fields["game"], _draw_lots(fields["game"], raw), picks))


def _view(fields: Mapping[str, str], turns: list[str], replayed: Replayed) -> PositionView:
    board = replayed.board
    game, state = replayed.game, replayed.state
    return PositionView(
        title=_(game.title),
        fields=fields,
        turns="-".join(turns),
        number=len(turns),
        picture=_draw(board, replayed),
        result=_result(replayed),
        token=board.token,
        choices=tuple(Choice(side, game.legal_actions(state, side)) for side in game.to_move(state)),
        back=_address(fields, turns[:-1]) if turns else "",
        start=_address(fields, []) if turns else "",
    )


def _draw(board: Board, replayed: Replayed) -> str:
    drops = replayed.resolutions[-1].drops if replayed.resolutions else ()
    fresh = {(drop.column, drop.row) for drop in drops if drop.row is not None}
    return draw_board(board, describe_columns(board), Highlights(fresh=fresh))


def _result(replayed: Replayed) -> str:
    texts = {"red": _("Red wins."), "yellow": _("Yellow wins."), "draw": _("The game is a draw.")}
    return texts.get(replayed.result, "")


def _address(fields: Mapping[str, str], turns: list[str]) -> str:
    query = {**fields, **({"turns": "-".join(turns)} if turns else {})}
    return f"{reverse('board_editor')}?{urlencode(query)}"
