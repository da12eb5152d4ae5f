"""Store side changes in the database before they are acknowledged. Idempotent across gateways."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from games.engine.game import Side
from voting.counting.side_changes import SideChange
from voting.matches import live_turn, locked_event
from voting.models import Event, Match, StoredSideChange, Turn, TurnState
from voting.protocol import SideRefusal
from voting.terms import MatchState

SideChangeAnswer = Literal["changed"] | SideRefusal


@dataclass(frozen=True, slots=True)
class SideChangeRequest:
    """A client's request to change to `team`.

    `home` is the number of the team the voter joined, `number` counts the voter's changes from 1, and `blind`
    is the client's blinding factor.
    """

    voter: str
    home: int
    turn_id: int
    number: int
    team: int
    blind: str


@dataclass(frozen=True, slots=True)
class SideChangeContext:
    """The match, turn and time (Unix ms) that requests are checked against."""

    match: Match
    turn: Turn
    now: int

    def side_of(self, team: int) -> Side:
        return "red" if team == self.match.red.number else "yellow"


def change_sides(
    event_id: int, requests: Sequence[SideChangeRequest], now: Callable[[], int]
) -> list[SideChangeAnswer]:
    """Apply the requests in one transaction and return an answer for each.

    The lock on the event enforces the limit per voter. `now` returns the time of the ballot box.
    """
    with locked_event(event_id) as event:
        context = _load_context(event, now)
        if context is None:
            return ["not_offered"] * len(requests)
        earlier = _load_earlier(context.match, {request.voter for request in requests})
        return [_apply(context, request, earlier.setdefault(request.voter, [])) for request in requests]


def _load_context(event: Event, now: Callable[[], int]) -> SideChangeContext | None:
    secret = event.matches.filter(state=MatchState.PLAYING, max_side_changes__gt=0)
    playing = secret.select_related("red").first()
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
    """Return why the request is refused, or None. No side changes before the first window."""
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
    """Return all side changes of the match so far, in the order in which they were stored."""
    return tuple(map(_side_change, StoredSideChange.objects.filter(match=match).order_by("pk")))


def load_side_changes_after(match_id: int, last: int) -> tuple[int, tuple[SideChange, ...]]:
    """Return the last row id and the side changes after row `last`.

    Row ids have no gaps to wait for: the event's lock serializes the writes.
    """
    rows = list(StoredSideChange.objects.filter(match=match_id, pk__gt=last).order_by("pk"))
    return (rows[-1].pk if rows else last), tuple(map(_side_change, rows))


def _side_change(row: StoredSideChange) -> SideChange:
    return SideChange(row.voter, row.number, row.turn, cast(Side, row.side), row.blind)


def backdate_side_changes(match: Match, turn: int) -> None:
    """Move later side changes back to `turn`, which is voted again: they now count as made before it."""
    StoredSideChange.objects.filter(match=match, turn__gt=turn).update(turn=turn)
