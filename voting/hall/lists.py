"""What is told of the hall's games: who waits, who plays, what is over, and whose turn it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.engine.errors import GameError
from games.engine.game import Side
from games.engine.registry import find_game
from games.matches import live_turn
from games.models import Duel, Guest, Match, MatchResult, MatchState
from voting.box.ballot_box import BallotBox
from voting.hall.duels import games_on, place_of
from voting.hall.paces import PACES, pace_of

Kind = Literal["open", "running", "finished"]
KINDS: tuple[Kind, ...] = ("open", "running", "finished")
A_PAGE = 20
WON: dict[str, int] = {MatchResult.RED: 1, MatchResult.YELLOW: 2}


@dataclass(frozen=True, slots=True)
class Line:
    """A game in a list; an empty name is a free seat. `won` is the place of the winner, 0 nobody's."""

    code: str
    game: str
    names: tuple[str, str]
    clock: str
    state: Literal["open", "playing", "ended", "aborted"]
    won: int = 0
    mine: int = 0
    your_turn: bool = False


def page_of(kind: Kind, number: int | str | None, a_page: int = A_PAGE) -> Page[Line]:
    """The newest first; a page that is not there is the nearest one."""
    page = Paginator(_with_names(_SOURCES[kind]()), a_page).get_page(number)
    return Page(_lines(page.object_list, None), page.number, page.paginator)  # type: ignore[arg-type]


def games_for(guest: Guest, box: BallotBox) -> list[Line]:
    """Their own that are not over, those first in which it is their turn."""
    lines = _lines(_with_names(games_on(guest)), guest, box)
    return sorted(lines, key=lambda line: (not line.your_turn, line.state != "playing"))


def _open() -> QuerySet[Duel]:
    """Those that are listed, as long as whoever waits may still be there."""
    now = timezone.now()
    fresh = Q()
    for pace in PACES:
        since = now - timedelta(seconds=pace.waits_s)
        fresh |= Q(event__bank_s=pace.bank_s, event__created_at__gte=since)
    return Duel.objects.filter(Q(one=None) | Q(two=None), fresh, listed=True).order_by("-pk")


def _running() -> QuerySet[Duel]:
    return Duel.objects.filter(event__matches__state=MatchState.PLAYING, listed=True).order_by("-pk")


def _finished() -> QuerySet[Duel]:
    return Duel.objects.filter(event__matches__state=MatchState.ENDED, listed=True).order_by("-pk")


_SOURCES = {"open": _open, "running": _running, "finished": _finished}


def _with_names(duels: QuerySet[Duel]) -> QuerySet[Duel]:
    return duels.select_related("event").prefetch_related("event__teams")


def _lines(duels: Iterable[Duel], guest: Guest | None, box: BallotBox | None = None) -> list[Line]:
    duels = list(duels)
    events = [duel.event_id for duel in duels]
    matches = {match.event_id: match for match in Match.objects.filter(event__in=events).order_by("number")}
    return [_line(duel, matches.get(duel.event_id), guest, box) for duel in duels]


def _line(duel: Duel, match: Match | None, guest: Guest | None, box: BallotBox | None) -> Line:
    event = duel.event
    mine = place_of(duel, guest) if guest else 0
    return Line(
        code=event.code,
        game=_title(event.game),
        names=names_of(duel),
        clock=pace_of(event.bank_s, event.increment_s).title,
        state=match.state if match else "open",  # type: ignore[arg-type]
        won=WON.get(match.result or "", 0) if match else 0,
        mine=mine,
        your_turn=bool(match and mine and box and is_to_pick(match, "red" if mine == 1 else "yellow", box)),
    )


def names_of(duel: Duel) -> tuple[str, str]:
    """As they were called when it began; empty for a free seat."""
    teams = {team.number: team.name for team in duel.event.teams.all()}
    return teams[1] if duel.one_id else "", teams[2] if duel.two_id else ""


def is_to_pick(match: Match, side: Side, box: BallotBox) -> bool:
    """Whether this side has no ballot yet: what the turnout shows to everybody."""
    turn = live_turn(match)
    if turn is None or match.state != MatchState.PLAYING:
        return False
    stored = turn.stored_ballots.filter(side=side).exists()
    return not stored and side not in box.picked_at(match.event_id, turn.pk)


def _title(slug: str) -> str:
    try:
        return find_game(slug).title
    except GameError:
        return slug
