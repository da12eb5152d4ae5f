"""Changes of side, in the database before they are acknowledged; each once, whichever gateways bring it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from games.engine.game import Side
from games.matches import live_turn, locked_event
from games.models import Event, Match, MatchState, Turn, TurnState
from voting.counting.side_changes import SideChange
from voting.models import StoredSideChange
from voting.protocol import SideRefusal

SideChangeAnswer = Literal["changed"] | SideRefusal


@dataclass(frozen=True, slots=True)
class SideChangeRequest:
    """What a phone asks for; `home` is the team its voter came in with, `blind` the phone's own number."""

    voter: str
    home: int
    turn_id: int
    number: int
    team: int
    blind: str


@dataclass(frozen=True, slots=True)
class SideChangeContext:
    """Where an event stands while wishes are looked at."""

    match: Match
    turn: Turn
    now: int

    def side_of(self, team: int) -> Side:
        return "red" if team == self.match.red.number else "yellow"


def change_sides(
    event_id: int, requests: Sequence[SideChangeRequest], now: Callable[[], int]
) -> list[SideChangeAnswer]:
    """In one transaction: of several that are one voter's, the limit is held by the event's lock."""
    with locked_event(event_id) as event:
        context = _load_context(event, now)
        if context is None:
            return ["not_offered"] * len(requests)
        earlier = _load_earlier(context.match, {request.voter for request in requests})
        return [_apply(context, request, earlier.setdefault(request.voter, [])) for request in requests]


def _load_context(event: Event, now: Callable[[], int]) -> SideChangeContext | None:
    playing = (
        event.matches.filter(state=MatchState.PLAYING, max_side_changes__gt=0).select_related("red").first()
    )
    turn = live_turn(playing) if playing else None
    return SideChangeContext(playing, turn, now()) if playing and turn else None


def _load_earlier(match: Match, voters: Iterable[str]) -> dict[str, list[StoredSideChange]]:
    earlier: dict[str, list[StoredSideChange]] = {}
    for row in StoredSideChange.objects.filter(match=match, voter__in=list(voters)).order_by("number"):
        earlier.setdefault(row.voter, []).append(row)
    return earlier


def _apply(
    context: SideChangeContext, request: SideChangeRequest, earlier: list[StoredSideChange]
) -> SideChangeAnswer:
    side = context.side_of(request.team)
    if request.number <= len(earlier) and earlier[request.number - 1].side == side:
        return "changed"
    refusal = _refusal(context, request, earlier)
    if refusal is None:
        row = StoredSideChange(
            match=context.match, voter=request.voter, number=request.number, side=side, blind=request.blind
        )
        row.turn = context.turn.number
        row.save(force_insert=True)
        earlier.append(row)
    return refusal or "changed"


def _refusal(
    context: SideChangeContext, request: SideChangeRequest, earlier: Sequence[StoredSideChange]
) -> SideRefusal | None:
    """Before the first window there is nothing yet to change one's mind about."""
    match, turn = context.match, context.turn
    now_on = earlier[-1].side if earlier else context.side_of(request.home)
    if request.turn_id != turn.pk:
        return "no_such_turn"
    if turn.number == 1 or turn.state != TurnState.OPEN or context.now >= turn.opens_at:
        return "window_open"
    if request.number > match.max_side_changes or request.number != len(earlier) + 1:
        return "used_up"
    return "same_side" if context.side_of(request.team) == now_on else None


def load_side_changes(match: Match) -> tuple[SideChange, ...]:
    """All of the match so far, in the order in which they were written down."""
    return tuple(map(_side_change, StoredSideChange.objects.filter(match=match).order_by("pk")))


def load_side_changes_after(match_id: int, last: int) -> tuple[int, tuple[SideChange, ...]]:
    """Those since row `last`, and the row up to which they are: an event's are written one by one."""
    rows = list(StoredSideChange.objects.filter(match=match_id, pk__gt=last).order_by("pk"))
    return (rows[-1].pk if rows else last), tuple(map(_side_change, rows))


def _side_change(row: StoredSideChange) -> SideChange:
    return SideChange(row.voter, row.number, row.turn, cast(Side, row.side), row.blind)


def backdate_side_changes(match: Match, turn: int) -> None:
    """A turn is voted again: whoever changed over since then has changed over before it."""
    StoredSideChange.objects.filter(match=match, turn__gt=turn).update(turn=turn)
