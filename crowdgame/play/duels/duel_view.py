"""View model of a duel's page, for players and for visitors."""

import hashlib
from dataclasses import dataclass

from django.utils.translation import gettext as _

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.duels.duels import games_just_started, seat_number
from crowdgame.play.duels.lists import names_by_side, players_by_side
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.plan_view import PlanView, view_plan
from crowdgame.play.duels.seat_keys import load_seat_key
from crowdgame.play.duels.turn_history import TurnChoices, list_turns
from crowdgame.results.reports.analysis_board import has_analysis_board
from games.engine.game import SIDES
from voting.ballot_box.box_types import PresenceCounts
from voting.models import LIVE_STATES, Match
from voting.positions import Position, end_reason, load_position
from voting.protocol import DuelAction
from voting.terms import MatchState

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat. An empty name is a free one; `rated` is the player's new rating and its change by the match."""

    name: str
    side: str
    mine: bool
    rated: str


@dataclass(frozen=True, slots=True)
class PlayerActions:
    """What a player may do in the live turn with the id `turn`, beside choosing a column.

    `offered` are the kinds of the opponent's open offers, `asked` those of the player's own, `names` the
    actions that start something.
    """

    turn: int
    names: tuple[DuelAction, ...]
    offered: tuple[str, ...]
    asked: tuple[str, ...]

    @property
    def has_offers(self) -> bool:
        return "draw" in self.names or "takeback" in self.names


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who sees the page. `team` is the viewer's, 0 for a visitor.

    `shows_invite` shows the link to share, `may_start` the button that starts a match for one,
    `may_withdraw` the one that deletes a game before its first match. `actions` and `plan` are a player's in
    a live match. `board` is the path of the live board, if there is one. A player's contains the seat key.
    """

    team: int
    shows_invite: bool
    may_start: bool
    may_withdraw: bool
    actions: PlayerActions | None
    plan: PlanView | None
    board: str


@dataclass(frozen=True, slots=True)
class MatchView:
    """The latest match; its `number` is 0 before the first. `turns` are those that are revealed.

    After the end, `result` says who won and `reason` why, and `rematch_asked_by` is the team that wants a
    rematch. `over`: no other match is scheduled. `has_board`: it has an analysis board.
    """

    number: int = 0
    over: bool = False
    has_board: bool = False
    rematch_asked_by: int | None = None
    result: str = ""
    reason: str = ""
    turns: tuple[TurnChoices, ...] = ()


@dataclass(frozen=True, slots=True)
class DuelView:
    """The page's data. `about` is the game, its variant and time; `free` the team with the free seat, 0 if
    there is none. `there` counts the crowd's connected members. `started` are the player's games that people
    have joined meanwhile: their codes, and the opponents' names.
    """

    code: str
    about: str
    title: str
    seats: tuple[SeatView, ...]
    free: int
    crowd: bool
    there: int
    watching: int
    viewer: Viewer
    match: MatchView
    started: tuple[tuple[str, str], ...]

    @property
    def version(self) -> str:
        """Content version: differs as soon as the page shows something else, and is equal on all gateways."""
        return hashlib.blake2b(repr(self).encode(), digest_size=8).hexdigest()


def view_duel(duel: Duel, match: Match | None, guest: Guest | None, present: PresenceCounts) -> DuelView:
    """Build the page's data. `match` is the latest one, `guest` the viewer."""
    free, mine = seat_number(duel, None), seat_number(duel, guest) if guest else 0
    position = load_position(match) if match else None
    shown = _view_match(duel, match, position) if match and position else MatchView()
    return DuelView(
        code=duel.event.code,
        about=describe_duel(duel),
        title=_title(duel, match, mine, free),
        seats=_seat_views(duel, match, guest),
        free=free,
        crowd=duel.crowd,
        there=present.connected[duel.one is not None],
        watching=present.watching,
        viewer=_view_viewer(duel, match, position, guest if mine else None, over=shown.over),
        match=shown,
        started=_started_games(guest) if guest and mine and duel.bot else (),
    )


def _started_games(guest: Guest) -> tuple[tuple[str, str], ...]:
    return tuple(
        (duel.event.code, str(duel.two if duel.one == guest else duel.one))
        for duel in games_just_started(guest)
    )


def _view_match(duel: Duel, match: Match, position: Position) -> MatchView:
    reason = end_reason(match, position)
    return MatchView(
        number=match.number,
        over=match.ended_at is not None and match.event.next_match_at is None,
        has_board=has_analysis_board(match),
        rematch_asked_by=duel.rematch_wanted_by,
        result=_result(match) if match.ended_at else "",
        reason=_(reason.label) if reason else "",
        turns=list_turns(position),
    )


def _view_viewer(
    duel: Duel, match: Match | None, position: Position | None, player: Guest | None, *, over: bool
) -> Viewer:
    """Return what the player may see and do; a visitor if None."""
    team = seat_number(duel, player) if player else 0
    waits = bool(seat_number(duel, None) or duel.crowd)
    actions = _player_actions(duel, match, team) if match and team else None
    return Viewer(
        team=team,
        shows_invite=bool(team) and not over and waits,
        may_start=bool(team) and duel.is_for_one and (match is None or (over and duel.crowd)),
        may_withdraw=bool(team) and match is None,
        actions=actions,
        plan=view_plan(duel, match, position, team, actions.turn) if match and position and actions else None,
        board=_board_path(duel, match, player),
    )


def _board_path(duel: Duel, match: Match | None, player: Guest | None) -> str:
    """Return the path of the board: the player's own, else the spectators'."""
    if match is None and (duel.crowd or player is None):
        return ""
    return f"/{duel.event.code}#{load_seat_key(duel, player)}" if player else f"/display/{duel.event.code}"


def _result(match: Match) -> str:
    """Return who won a match that is over."""
    if match.state == MatchState.ABORTED:
        return _("Game aborted")
    winner = {"red": match.red, "yellow": match.yellow}.get(match.result or "")
    return _("%(team)s won") % {"team": winner.name} if winner else _("Draw")


def _player_actions(duel: Duel, match: Match, team: int) -> PlayerActions | None:
    """Return what the player of `team` may do; None without a live turn."""
    live = match.turns.filter(state__in=LIVE_STATES)
    rows = list(live.values_list("pk", "number", "offers__side", "offers__kind", "offers__declined"))
    if not rows:
        return None
    side = "red" if match.red.number == team else "yellow"
    pk, number, *_ = rows[0]
    open_offers = [(by, kind) for *_, by, kind, declined in rows if kind and not declined]
    names: list[DuelAction] = ["abort" if number == 1 else "resign"]
    if not duel.is_for_one:
        names.append("draw")
    if duel.casual and not duel.is_for_one and number > 1:
        names.append("takeback")
    offered = tuple(kind for by, kind in open_offers if by != side)
    asked = tuple(kind for by, kind in open_offers if by == side)
    started = tuple(name for name in names if name not in (*offered, *asked))
    return PlayerActions(pk, started, offered, asked)


def _seat_views(duel: Duel, match: Match | None, guest: Guest | None) -> tuple[SeatView, ...]:
    """Return both seats, red's first."""
    seats = zip(
        names_by_side(duel, match), SIDES, players_by_side(duel, match), _rating_changes(match), strict=True
    )
    return tuple(
        SeatView(name, side, guest is not None and seat == guest, rated) for name, side, seat, rated in seats
    )


def _rating_changes(match: Match | None) -> tuple[str, str]:
    """Return each side's new rating and its change by this match; empty if the match is not rated."""
    if match is None or not hasattr(match, "rated"):
        return "", ""
    change = match.rated
    red = _format_change(change.red_before, change.red_after)
    return red, _format_change(change.yellow_before, change.yellow_after)


def _format_change(before: float, after: float) -> str:
    change = f"{round(after)} ({round(after) - round(before):+})".replace("-", MINUS)
    return f"\N{LEFT-TO-RIGHT ISOLATE}{change}\N{POP DIRECTIONAL ISOLATE}"


def _title(duel: Duel, match: Match | None, mine: int, free: int) -> str:
    if match is not None:
        return _("Game in progress") if match.ended_at is None else _("Game over")
    if mine and (free or duel.is_for_one):
        return _("Your game is ready")
    if duel.crowd:
        return _("Everyone against %(player)s") % {"player": duel.one or duel.two}
    return _("You are invited") if free else _("Game in progress")
