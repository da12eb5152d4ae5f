"""Changes of side, in the database before they are acknowledged; each once, whichever gateways bring it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from games.engine.game import Side
from games.matches import changing_event, live_turn
from games.models import Event, Match, MatchState, Turn, TurnState
from voting.counting.sides import Crossing
from voting.models import Defection
from voting.protocol import SideRefusal

Answer = Literal["changed"] | SideRefusal


@dataclass(frozen=True, slots=True)
class Wish:
    """What a phone asks for; `home` is the team its voter came in with, `blind` the phone's own number."""

    voter: str
    home: int
    turn_id: int
    number: int
    team: int
    blind: str


@dataclass(frozen=True, slots=True)
class Moment:
    """Where an event stands while wishes are looked at."""

    match: Match
    turn: Turn
    now: int

    def side_of(self, team: int) -> Side:
        return "red" if team == self.match.red.number else "yellow"


def change_sides(event_id: int, wishes: Sequence[Wish], now: Callable[[], int]) -> list[Answer]:
    """In one transaction: of several that are one voter's, the limit is held by the event's lock."""
    with changing_event(event_id) as event:
        moment = _moment(event, now)
        if moment is None:
            return ["not_offered"] * len(wishes)
        held = _held(moment.match, {wish.voter for wish in wishes})
        return [_change(moment, wish, held.setdefault(wish.voter, [])) for wish in wishes]


def _moment(event: Event, now: Callable[[], int]) -> Moment | None:
    playing = event.matches.filter(state=MatchState.PLAYING, defections__gt=0).select_related("red").first()
    turn = live_turn(playing) if playing else None
    return Moment(playing, turn, now()) if playing and turn else None


def _held(match: Match, voters: Iterable[str]) -> dict[str, list[Defection]]:
    held: dict[str, list[Defection]] = {}
    for row in Defection.objects.filter(match=match, voter__in=list(voters)).order_by("number"):
        held.setdefault(row.voter, []).append(row)
    return held


def _change(moment: Moment, wish: Wish, held: list[Defection]) -> Answer:
    side = moment.side_of(wish.team)
    if wish.number <= len(held) and held[wish.number - 1].side == side:
        return "changed"
    refusal = _refusal(moment, wish, held)
    if refusal is None:
        row = Defection(match=moment.match, voter=wish.voter, number=wish.number, side=side, blind=wish.blind)
        row.turn = moment.turn.number
        row.save(force_insert=True)
        held.append(row)
    return refusal or "changed"


def _refusal(moment: Moment, wish: Wish, held: Sequence[Defection]) -> SideRefusal | None:
    """Before the first window there is nothing yet to change one's mind about."""
    match, turn = moment.match, moment.turn
    now_on = held[-1].side if held else moment.side_of(wish.home)
    if wish.turn_id != turn.pk:
        return "no_such_turn"
    if turn.number == 1 or turn.state != TurnState.OPEN or moment.now >= turn.opens_at:
        return "window_open"
    if wish.number > match.defections or wish.number != len(held) + 1:
        return "used_up"
    return "same_side" if moment.side_of(wish.team) == now_on else None


def crossings_of(match: Match) -> tuple[Crossing, ...]:
    """All of the match so far, in the order in which they were written down."""
    return tuple(map(_crossing, Defection.objects.filter(match=match).order_by("pk")))


def crossings_after(match_id: int, last: int) -> tuple[int, tuple[Crossing, ...]]:
    """Those since row `last`, and the row up to which they are: an event's are written one by one."""
    rows = list(Defection.objects.filter(match=match_id, pk__gt=last).order_by("pk"))
    return (rows[-1].pk if rows else last), tuple(map(_crossing, rows))


def _crossing(row: Defection) -> Crossing:
    return Crossing(row.voter, row.number, row.turn, cast(Side, row.side), row.blind)


def move_back(match: Match, turn: int) -> None:
    """A turn is voted again: whoever changed over since then has changed over before it."""
    Defection.objects.filter(match=match, turn__gt=turn).update(turn=turn)
