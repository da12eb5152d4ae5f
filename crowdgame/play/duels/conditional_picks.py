"""Conditional picks: in a duel of days, a player plans a choice for each choice that the opponent may make.

A plan concerns the opponent's first choice from the live turn on. In the turn that opens when it is revealed,
the matching pick is cast like a ballot by phone. Without a match, or if the pick is not legal then or the
player not to move, the plan lapses. There are no plans where votes are concealed until a later turn or open:
such a choice is not secret until its own reveal.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils.translation import ngettext

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import PlayError, seat_number
from crowdgame.play.duels.models import ConditionalPicks, Duel
from crowdgame.play.duels.player_actions import DuelActionRefused, find_side
from crowdgame.play.duels.sealed_picks import seal, unseal
from crowdgame.play.duels.time_controls import DAY_S
from games.engine.game import Side, other_side
from voting.matches import event_lock
from voting.models import LIVE_STATES, Match, Turn
from voting.positions import Position, load_position
from voting.terms import MatchState

MAX_PICKS = 16


class Choices(NamedTuple):
    """What the opponent may choose next, and what the player may plan."""

    theirs: tuple[int, ...]
    own: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A player's plan: `picks` by the opponent's choices, as stored in the `rows`."""

    side: Side
    position: Position
    picks: dict[int, int]
    rows: tuple[int, ...]


def may_plan(duel: Duel, match: Match, position: Position) -> bool:
    """Whether this match has conditional picks."""
    of_days = (match.bank_s or 0) >= DAY_S and not duel.is_for_one
    return of_days and match.state == MatchState.PLAYING and position.vote is None


def list_choices(position: Position, side: Side) -> Choices:
    """Return what can be planned for. Which of a player's own choices will be legal is only known by then."""
    game, state, movers = position.game, position.state, position.to_move
    board, opponent = game.view(state, None), other_side(side)
    some = game.legal_actions(state, movers[0]) if board.kind == "columns" else range(1, board.columns + 1)
    theirs = game.legal_actions(state, opponent) if opponent in movers else some
    return Choices(tuple(theirs), tuple(some))


def load_plan(match: Match, side: Side, position: Position) -> Plan:
    """Load the player's plan for the opponent's next choice. Makes one query.

    Plans that are due are not in it: their choice is revealed.
    """
    rows = ConditionalPicks.objects.filter(turn__match=match, side=side)
    waiting = [
        row
        for row in rows.select_related("turn").order_by("turn__number")
        if revealed_choice(position, row) is None
    ]
    picks: dict[int, int] = {}
    for row in waiting:
        picks |= unseal(match.pk, side, row.sealed)
    return Plan(side, position, picks, tuple(row.pk for row in waiting))


def plan_pick(event_id: int, team: int, turn_id: int, theirs: int, own: int) -> None:
    """Plan to choose `own` after the opponent's `theirs`, instead of an earlier plan for that choice.

    Raises PlayError unless the turn is live and both choices are possible, or above MAX_PICKS.
    """
    with _locked_plan(event_id, team, turn_id) as (turn, plan):
        choices = list_choices(plan.position, plan.side)
        if theirs not in choices.theirs or own not in choices.own:
            raise DuelActionRefused("not_possible")
        picks = plan.picks | {theirs: own}
        if len(picks) > MAX_PICKS:
            refusal = ngettext(
                "You can plan for %(count)s choice of your opponent. Remove one first.",
                "You can plan for %(count)s choices of your opponent. Remove one first.",
                MAX_PICKS,
            )
            raise PlayError(refusal % {"count": MAX_PICKS})
        replace_plan(turn, plan, picks)


def remove_pick(event_id: int, team: int, turn_id: int, theirs: int) -> None:
    """Remove the plan for the opponent's choice `theirs`. Idempotent.

    Raises PlayError unless the turn is live.
    """
    with _locked_plan(event_id, team, turn_id) as (turn, plan):
        replace_plan(turn, plan, {choice: own for choice, own in plan.picks.items() if choice != theirs})


@contextmanager
def _locked_plan(event_id: int, team: int, turn_id: int) -> Iterator[tuple[Turn, Plan]]:
    """Lock the event and yield the live turn and the plan of `team`. Raises DuelActionRefused."""
    with event_lock(event_id):
        turns = Turn.objects.filter(match__event=event_id, state__in=LIVE_STATES, pk=turn_id)
        turn = turns.select_related("match__event__duel", "match__red", "match__yellow").first()
        if turn is None:
            raise DuelActionRefused("turn_changed")
        match = turn.match
        position = load_position(match)
        if not may_plan(match.event.duel, match, position):
            raise DuelActionRefused("not_possible")
        yield turn, load_plan(match, find_side(match, team), position)


def replace_plan(turn: Turn, plan: Plan, picks: dict[int, int]) -> None:
    """Store `picks` instead of the plan, for the live `turn`. Call it within `event_lock`."""
    ConditionalPicks.objects.filter(pk__in=plan.rows).delete()
    if picks:
        sealed = seal(turn.match_id, plan.side, picks)
        ConditionalPicks.objects.create(turn=turn, side=plan.side, sealed=sealed)


def revealed_choice(position: Position, row: ConditionalPicks) -> Turn | None:
    """Return the turn with the choice that the row waits for, once it is revealed."""
    later = (turn for turn in position.turns if turn.number >= row.turn.number)
    return next((turn for turn in later if opponents_pick(turn, row.side) is not None), None)


def opponents_pick(turn: Turn, side: str) -> int | None:
    return turn.yellow_pick if side == "red" else turn.red_pick


def list_plans(guest: Guest) -> list[dict[str, Any]]:
    """Return what the guest has planned in all games, for the download of their data."""
    return [
        {
            "event__code": row.turn.match.event.code,
            "turn__number": row.turn.number,
            "opponent": theirs,
            "own": own,
        }
        for row in _rows_of(guest)
        for theirs, own in unseal(row.turn.match_id, row.side, row.sealed).items()
    ]


def forget_plans(guest: Guest, **_: Any) -> None:
    """Delete what the guest has planned. A receiver of `guest_left`."""
    ConditionalPicks.objects.filter(pk__in=[row.pk for row in _rows_of(guest)]).delete()


def _rows_of(guest: Guest) -> Iterable[ConditionalPicks]:
    event = "turn__match__event__duel"
    rows = ConditionalPicks.objects.filter(Q(**{f"{event}__one": guest}) | Q(**{f"{event}__two": guest}))
    for row in rows.select_related(event, "turn__match__red", "turn__match__yellow").order_by("pk"):
        match = row.turn.match
        if seat_number(match.event.duel, guest) == getattr(match, row.side).number:
            yield row
