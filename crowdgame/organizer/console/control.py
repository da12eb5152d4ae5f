"""Runs organizer actions: checks the permission, runs the use case, logs it, and undoes it.

State changes are conditional updates or compare-and-set claims under the event lock. So two organizers who
do the same at once don't do it twice.
"""

import logging
from contextlib import ExitStack
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowdgame.events.audit_text import TOO_LATE
from crowdgame.events.models import AuditEntry
from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.console.actions import ACTIONS
from crowdgame.organizer.console.actions.rehearsal import DryRunHost
from crowdgame.organizer.console.audit_log import PerformedAction, add_audit_entry, find_undo
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.matches import MatchError, live_turn
from voting.models import LIVE_STATES, Match, Turn
from voting.protocol import ActionAsk, ActionUndo, Pressed
from voting.terms import MatchState
from voting.turns.turns import load_turn

log = logging.getLogger(__name__)

NOT_ALLOWED = gettext_lazy("You don't have permission to do this.")


class NotPermitted(MatchError):
    """The organizer may not do this at any time."""


def perform(
    who: OrganizerAccess,
    event_id: int,
    message: ActionAsk | ActionUndo,
    box: BallotBox,
    host: DryRunHost | None = None,
) -> None:
    """Run or undo the action and log it. Raises MatchError if that isn't allowed or possible now."""
    now = box.now()
    if isinstance(message, ActionAsk):
        _check_permission(who, message.action)
        done = run_action(event_id, message, box, host)
    else:
        undo = find_undo(event_id, message.entry, now, rehearsing=host is not None and host.rehearsing)
        _check_permission(who, undo.action)
        done = _undo_once(event_id, message.entry, undo, box, host)
    try:
        add_audit_entry(event_id, who.name, done, now, who.user_id)
    except DATABASE_ERRORS as error:  # the action itself succeeded
        log.error("audit entry not stored: %s", error, extra={"event": event_id})


def _check_permission(who: OrganizerAccess, action: str) -> None:
    if not who.may(ACTIONS[action].permission):
        raise NotPermitted(str(NOT_ALLOWED))


def _undo_once(
    event_id: int, entry_id: int, undo: Pressed, box: BallotBox, host: DryRunHost | None
) -> PerformedAction:
    """Claim the entry, so that it is undone once, and run the inverse. A failure releases the entry."""
    if not AuditEntry.objects.filter(pk=entry_id, undone=False).update(undone=True):
        raise MatchError(str(TOO_LATE))
    with ExitStack() as on_failure:
        on_failure.callback(AuditEntry.objects.filter(pk=entry_id).update, undone=False)
        done = run_action(event_id, undo, box, host)
        on_failure.pop_all()
    return done


def run_action(
    event_id: int, ask: ActionAsk | Pressed, box: BallotBox, host: DryRunHost | None = None
) -> PerformedAction:
    """Run the requested action without a check of permissions. Raises MatchError if it isn't possible now."""
    action = ACTIONS[ask.action]
    given: dict[str, Any] = {"event_id": event_id, "box": box, "host": host, "turn_id": ask.turn}
    if "turn" in action.parameters:
        given["turn"] = _require_turn(event_id, ask)
    result = action.run(
        **{name: given[name] if name in given else getattr(ask, name, None) for name in action.parameters}
    )
    pressed = Pressed(action=ask.action, **result.arguments)
    if action.undo is None or result.final:
        return PerformedAction(result.what, pressed)
    arguments = result.arguments if result.undo is None else result.undo
    return PerformedAction(result.what, pressed, Pressed(**{"action": action.undo.inverse, **arguments}))


def _require_turn(event_id: int, ask: ActionAsk | Pressed) -> Turn:
    playing = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING).first()
    live = live_turn(playing) if playing else None
    if live is None:
        raise MatchError(_("No turn is live."))
    turn = load_turn(live.pk)
    if ask.turn not in {None, turn.pk} or turn.state not in LIVE_STATES:
        raise MatchError(_("That turn has already ended."))
    if turn.match.bank_s is not None and not ACTIONS[ask.action].with_clocks:
        raise MatchError(_("This match runs on the players' clocks. Its turns can't be controlled here."))
    return turn
