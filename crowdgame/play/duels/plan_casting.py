"""Cast conditional picks in the turn after the opponent's choice, exactly once.

A plan becomes due in the transaction that opens the next turn, and is deleted in the one that ends the match
or takes its turn back. The deadline scheduler has due plans settled until none is left. A crash at any step
only delays that: a repeated attempt casts the same ballot, and the row is deleted last.
"""

from contextlib import ExitStack
from typing import Any

from django.db.models import QuerySet

from crowdgame.play.duels.conditional_picks import load_plan, opponents_pick, replace_plan, revealed_choice
from crowdgame.play.duels.models import ConditionalPicks
from crowdgame.play.duels.sealed_picks import unseal
from crowdgame.play.duels.time_controls import DAY_S
from games.engine.game import SIDES, Side
from voting.admission.restrictions import NO_RESTRICTION, load_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.counting.voter_codes import derive_voter_code
from voting.matches import event_lock, live_turn
from voting.models import CLOSED_STATES, Match, Ticket, Turn, TurnState
from voting.positions import Position, load_position
from voting.sources.casting import FIRST_SEQUENCE, RETRIED, cast_pick, derive_blind
from voting.terms import MatchState

CAST_CONDITIONAL_PICKS = "duels.cast_conditional_picks"


def mark_due(sender: Any, turn: Turn, **_: Any) -> None:
    """Mark the plans of the match as due when its next turn is created, and delete those of void turns.

    A receiver of `turn_created`.
    """
    if (turn.match.bank_s or 0) >= DAY_S:
        rows = ConditionalPicks.objects.filter(turn__match=turn.match_id)
        rows.filter(turn__state=TurnState.VOID).delete()
        rows.update(is_due=True)


def drop_plans(sender: Any, instance: Match, **_: Any) -> None:
    """Delete the plans of a match that is over. A `post_save` receiver of matches."""
    if instance.state != MatchState.PLAYING and (instance.bank_s or 0) >= DAY_S:
        ConditionalPicks.objects.filter(turn__match=instance.pk).delete()


def is_due() -> bool:
    return _due().exists()


def cast_due(box: BallotBox) -> None:
    """Settle the plans of turns that are over, each even if another one fails. Raises STORE_ERRORS."""
    rows = _due().select_related("turn__match__red", "turn__match__yellow").order_by("-pk")
    with ExitStack() as settled:
        for row in rows:
            settled.callback(_settle, row, box)


def _due() -> QuerySet[ConditionalPicks]:
    """Return the rows whose turn is over: their pick is cast, waits further, or lapses."""
    return ConditionalPicks.objects.filter(is_due=True)


def _settle(row: ConditionalPicks, box: BallotBox) -> None:
    """Cast the matching pick and delete the row. A turn that is not open yet leaves it for later."""
    match, side = row.turn.match, next(side for side in SIDES if side == row.side)
    if row.turn.state in CLOSED_STATES and match.state == MatchState.PLAYING:
        position = load_position(match)
        revealed = revealed_choice(position, row)
        if revealed is None:
            _carry_over(match, side)
            return
        pick = unseal(match.pk, side, row.sealed).get(opponents_pick(revealed, side) or 0)
        turn = _next_turn(match, position, revealed)
        if (
            turn
            and pick in position.game.legal_actions(position.state, side)
            and not _cast(turn, side, pick, box)
        ):
            return
    row.delete()


def _next_turn(match: Match, position: Position, revealed: Turn) -> Turn | None:
    """Return the live turn if it is the one right after `revealed`."""
    turn = live_turn(match)
    follows = turn is not None and position.last == revealed and turn.number == revealed.number + 1
    return turn if follows else None


def _carry_over(match: Match, side: Side) -> None:
    """Move the plan to the live turn: in the one that is over, only the player was to move."""
    with event_lock(match.event_id):
        if turn := live_turn(match):
            plan = load_plan(match, side, load_position(match))
            replace_plan(turn, plan, plan.picks)


def _cast(turn: Turn, side: Side, pick: int, box: BallotBox) -> bool:
    """Cast the ballot of the side's player, unless there is one. False if the turn is not open yet."""
    voter = _find_voter(turn.match, side)
    if voter is None:
        return True
    ballot = Ballot(voter, side, pick, FIRST_SEQUENCE, blind=derive_blind(turn.pk, voter))
    return cast_pick(turn, ballot, box) not in RETRIED


def _find_voter(match: Match, side: Side) -> str | None:
    """Return the voter of the side's seat; None if an organizer has banned or moved it."""
    team = getattr(match, side).number
    voter = Ticket.objects.filter(event=match.event_id, team=team).values_list("voter", flat=True).first()
    if voter is None:
        return None
    restrictions = load_restrictions([match.event_id])[match.event_id]
    restriction = restrictions.get(derive_voter_code(voter), NO_RESTRICTION)
    return None if restriction.banned or restriction.team not in (None, team) else voter
