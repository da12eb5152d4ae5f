"""Lists of duels on the Play page (matchmaking): open, running and finished games, and whose turn it is."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Any, Literal

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.utils import timezone
from django.utils.translation import gettext

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.descriptions import list_duel
from crowdgame.play.duels.duel_matches import DuelMatches, load_matches, load_turns
from crowdgame.play.duels.duels import active_games, opponent_name
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.time_controls import TIME_CONTROLS, time_label
from games.engine.game import SIDES, Side
from voting.ballot_box.ballot_box import BallotBox
from voting.models import CLOSED_STATES, LIVE_STATES, Match, MatchResult, Team, Turn, TurnState
from voting.positions import Position, end_reason, try_replay
from voting.terms import EndReason, MatchState
from voting.typed_codes import normalize_code

DueSides = Mapping[int, Collection[Side]]
DuelListKind = Literal["open", "running", "finished"]
DUEL_LIST_KINDS: tuple[DuelListKind, ...] = ("open", "running", "finished")
PAGE_SIZE = 20
MAX_OTHERS = 10
NEW_FOR = timedelta(minutes=1)
DOUBLE_WINS = (EndReason.HOLDER, EndReason.OTHER)
MAX_QUERY_LENGTH = 40
WINNER_NUMBERS: dict[str, int] = {MatchResult.RED: 1, MatchResult.YELLOW: 2}
HAS_LIVE_MATCH = Exists(Match.objects.filter(event=OuterRef("event"), state=MatchState.PLAYING))
HAS_ENDED_MATCH = Exists(Match.objects.filter(event=OuterRef("event"), state=MatchState.ENDED))


@dataclass(frozen=True, slots=True)
class DuelListItem:
    """A game in a list, by its latest match, among finished games by its latest finished one.

    `names` are red's and yellow's; an empty one is a free seat.
    `about` is its game, variant and time. `reason` says why the match ended. `won` and `mine` are 1 for red,
    2 for yellow, 0 for nobody. `state` is the match's, "open" before the first one. Anybody may join a
    `crowd` game. `since` is when it was created. `turns` counts the revealed turns. `others` are the numbers
    of the duel's latest other finished matches.
    """

    code: str
    about: str
    game: str
    names: tuple[str, str]
    clock: str
    state: str
    match: int = 0
    reason: str = ""
    won: int = 0
    mine: int = 0
    your_turn: bool = False
    crowd: bool = False
    since: datetime | None = None
    turns: int = 0
    double_win: bool = False
    others: tuple[int, ...] = ()

    @property
    def is_new(self) -> bool:
        return self.since is not None and timezone.now() - self.since < NEW_FOR


@dataclass(frozen=True, slots=True)
class ListedDuel:
    """A duel with the names of its event's teams."""

    duel: Duel
    team_names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class LatestGames:
    """The newest games of a kind, and whether there are `more`."""

    kind: DuelListKind
    lines: list[DuelListItem]
    more: bool


@dataclass(frozen=True, slots=True)
class PlayLists:
    """The lists of the Play page. `mine` are the guest's unfinished games: those with their turn first."""

    mine: list[DuelListItem]
    latest: list[LatestGames]

    @property
    def showcase(self) -> DuelListItem | None:
        """The finished game to replay while no game is live: one with a double win, or else the longest."""
        lines = {games.kind: games.lines for games in self.latest}
        played = [line for line in lines["finished"] if line.turns]
        if lines["running"] or not played:
            return None
        return max(played, key=lambda line: (line.double_win, line.turns))


def load_page(kind: DuelListKind, number: int | str | None, query: str = "") -> Page[DuelListItem]:
    """Return a page, newest first; an invalid number gives the nearest page.

    `query` is a part of a player's name, or a whole event code.
    """
    found = _search(query, _SOURCES[kind]())
    paginator: Paginator[Any] = Paginator(found, PAGE_SIZE)
    page = paginator.get_page(number)
    last = page.number * PAGE_SIZE
    listed = _load_lists({kind: found[last - PAGE_SIZE : last]})[kind]
    lines = _list_items(listed, load_matches(one.duel for one in listed), kind)
    return Page(lines, page.number, paginator)


def load_play_lists(guest: Guest | None, box: BallotBox | None, most: int, query: str = "") -> PlayLists:
    """Return the newest `most` games of each kind, and the guest's unfinished games.

    Makes three queries. Without a ballot box, no game shows as the guest's to move. Raises RedisError.
    """
    sources: dict[str, QuerySet[Duel]] = {
        kind: _search(query, _SOURCES[kind]())[: most + 1] for kind in DUEL_LIST_KINDS
    }
    if guest:
        sources["mine"] = active_games(guest)
    found = _load_lists(sources)
    matches = load_matches(one.duel for one in chain.from_iterable(found.values()))
    latest = [
        LatestGames(kind, _list_items(found[kind][:most], matches, kind), len(found[kind]) > most)
        for kind in DUEL_LIST_KINDS
    ]
    return PlayLists(_guest_games(found.get("mine", []), matches, guest, box), latest)


def _load_lists(sources: Mapping[str, QuerySet[Duel]]) -> dict[str, list[ListedDuel]]:
    """Load several lists with one query, each newest first."""
    # A subquery for each, as SQLite sorts and limits no part of a UNION.
    first, *others = (
        Duel.objects.filter(pk__in=duels.values("pk"))
        .select_related("event", "one", "two")
        .annotate(source=Value(source), team_1=_team_name(1), team_2=_team_name(2))
        for source, duels in sources.items()
    )
    found: dict[str, list[ListedDuel]] = {source: [] for source in sources}
    for duel in first.union(*others, all=True).order_by("-pk"):
        found[duel.source].append(ListedDuel(duel, (duel.team_1, duel.team_2)))
    return found


def _guest_games(
    listed: list[ListedDuel], latest: DuelMatches, guest: Guest | None, box: BallotBox | None
) -> list[DuelListItem]:
    """Return the games where it is the guest's turn first, then the live ones."""
    played = [match for one in listed if (match := latest.latest(one.duel))]
    due = _due_sides(played, latest.turns, box) if box else {}
    lines = _list_items(listed, latest, "running", guest, due)
    return sorted(lines, key=lambda line: (not line.your_turn, line.state != "playing"))


def clean_query(typed: str) -> str:
    """Strip the query and remove unprintable characters. Cut at MAX_QUERY_LENGTH."""
    return "".join(char for char in typed if char.isprintable()).strip()[:MAX_QUERY_LENGTH]


def _search(query: str, duels: QuerySet[Duel]) -> QuerySet[Duel]:
    if not query:
        return duels
    named = Team.objects.filter(event=OuterRef("event"), name__icontains=query)
    return duels.filter(Q(event__code=normalize_code(query)) | Exists(named))


def _open_duels() -> QuerySet[Duel]:
    """Return listed duels with a free seat, created recently enough that the creator may still be waiting."""
    now = timezone.now()
    fresh = Q()
    for time_control in TIME_CONTROLS:
        since = now - timedelta(seconds=time_control.listed_s)
        by_bank = Q(crowd=False, event__bank_s=time_control.bank_s)
        by_window = Q(crowd=True, event__window_s=time_control.window_s, event__matches=None)
        fresh |= Q(by_bank | by_window, event__created_at__gte=since)
    return Duel.objects.filter(Q(one=None) | Q(two=None), fresh, listed=True).order_by("-pk")


_SOURCES: dict[DuelListKind, Callable[[], QuerySet[Duel]]] = {
    "open": _open_duels,
    "running": lambda: Duel.objects.filter(HAS_LIVE_MATCH, listed=True).order_by("-pk"),
    "finished": lambda: Duel.objects.filter(HAS_ENDED_MATCH, listed=True).order_by("-pk"),
}


def _team_name(number: int) -> Subquery:
    return Subquery(Team.objects.filter(event=OuterRef("event"), number=number).values("name"))


def _list_items(
    listed: Iterable[ListedDuel],
    latest: DuelMatches,
    kind: DuelListKind,
    guest: Guest | None = None,
    due: DueSides | None = None,
) -> list[DuelListItem]:
    return [_list_item(one, latest, kind, guest, due or {}) for one in listed]


def _list_item(
    listed: ListedDuel, latest: DuelMatches, kind: DuelListKind, guest: Guest | None, due: DueSides
) -> DuelListItem:
    duel, event = listed.duel, listed.duel.event
    match = latest.latest_ended(duel) if kind == "finished" else latest.latest(duel)
    turns = latest.turns[match.pk] if match else []
    reason = None
    if match and match.state == MatchState.ENDED:
        reason = end_reason(match, _replay_closed(match, turns))
    others = [number for number in latest.ended_numbers(duel) if match and number != match.number]
    seats = players_by_side(duel, match)
    mine = seats.index(guest) + 1 if guest and guest in seats else 0
    return DuelListItem(
        code=event.code,
        about=list_duel(duel),
        game=event.game,
        names=names_by_side(duel, match, listed.team_names),
        match=match.number if match else 0,
        reason=gettext(reason.label) if reason else "",
        clock=time_label(event.bank_s, event.increment_s, event.window_s),
        state=match.state if match else "open",
        won=WINNER_NUMBERS.get(match.result or "", 0) if match else 0,
        mine=mine,
        your_turn=bool(match and mine and SIDES[mine - 1] in due.get(match.pk, ())),
        crowd=duel.crowd,
        since=event.created_at,
        turns=sum(turn.state == TurnState.RESOLVED for turn in turns),
        double_win=reason in DOUBLE_WINS,
        others=tuple(others[-MAX_OTHERS:]),
    )


def players_by_side(duel: Duel, match: Match | None) -> tuple[Guest | None, Guest | None]:
    """Return the guests of red and of yellow. The two swap sides with each match."""
    return (duel.two, duel.one) if match and match.red.number != 1 else (duel.one, duel.two)


def names_by_side(
    duel: Duel, match: Match | None, team_names: tuple[str, str] | None = None
) -> tuple[str, str]:
    """Return red's and yellow's names, as they were when the first match began; empty for a free seat.

    The name of a crowd or the computer is in the reader's language. `team_names` are the event's, loaded if
    needed.
    """
    if match:
        names = match.red.name, match.yellow.name
    else:
        one, two = team_names or [team.name for team in duel.event.teams.order_by("number")]
        names = one, two
    absent = opponent_name(duel)
    red, yellow = players_by_side(duel, match)
    return names[0] if red else absent, names[1] if yellow else absent


def has_to_pick(match: Match, side: Side, box: BallotBox) -> bool:
    """Whether this side is to move and has no ballot yet. The turnout shows the same to everybody."""
    return side in _due_sides([match], load_turns([match]), box).get(match.pk, ())


def _due_sides(matches: Iterable[Match], turns: Mapping[int, list[Turn]], box: BallotBox) -> DueSides:
    """Return the sides that are to move and have no ballot yet, by match."""
    due = {}
    for match in matches:
        live = next((turn for turn in turns[match.pk] if turn.state in LIVE_STATES), None)
        if match.state == MatchState.PLAYING and live:
            picked = box.picked_at(match.event_id, live.pk)
            position = _replay_closed(match, turns[match.pk])
            to_move = position.to_move if position else ()
            due[match.pk] = [
                side for side in to_move if side not in picked and not getattr(live, f"{side}_stored")
            ]
    return due


def _replay_closed(match: Match, turns: Iterable[Turn]) -> Position | None:
    return try_replay(match, [turn for turn in turns if turn.state in CLOSED_STATES])
