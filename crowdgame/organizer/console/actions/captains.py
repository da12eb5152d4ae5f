"""Team captains: the captain's ballot breaks ties in matches with the captain tie rule."""

from typing import Any

from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.notices import ALREADY_DONE
from crowdgame.organizer.console.actions.people import parse_voter_code, require_voter
from crowdgame.organizer.console.actions.registry import ActionResult, action, undone_by
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError, locked_event
from voting.models import Event


@action("voter.captain", target="voter", done="Takes effect next turn.")
@undone_by("voter.captain", only_last=True)
def set_captain(
    event_id: int, voter_code: str | None, team: int | None, successor: str | None, box: BallotBox
) -> ActionResult:
    """Make a voter captain of `team` from the next turn on. Without `team`, the voter is no longer captain.

    `successor` becomes captain of the team that the voter leads now. Only an undo sets it.
    Raises MatchError if a voter code is malformed, if nobody has the voter's, or if nothing changes.
    """
    voter_code = require_voter(event_id, voter_code, box) if team else parse_voter_code(voter_code)
    successor = parse_voter_code(successor) if successor else ""
    now = box.now()
    with locked_event(event_id) as event:
        named, undo = _assign(event, voter_code, team, successor)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    if team:
        message = gettext_noop("%(by)s made %(voter)s captain of %(team)s")
    else:
        message = gettext_noop("%(by)s removed %(voter)s as captain of %(team)s")
    what = LogText(message, {"voter": voter_code, "team": named})
    return ActionResult(what, {"voter_code": voter_code, "team": team}, undo)


def _assign(event: Event, voter_code: str, number: int | None, successor: str) -> tuple[str, dict[str, Any]]:
    """Store the captain and return the team's name and the arguments that undo it.

    A voter is captain of one team at most. Raises MatchError if nothing changes.
    """
    held = event.teams.filter(captain=voter_code).first()
    if number is None:
        if held is None:
            raise MatchError(str(ALREADY_DONE))
        event.teams.filter(pk=held.pk).update(captain="")
        return held.name, {"voter_code": voter_code, "team": held.number}
    team = event.teams.get(number=number)
    if team.captain == voter_code:
        raise MatchError(str(ALREADY_DONE))
    event.teams.filter(captain=voter_code).update(captain=successor if successor != voter_code else "")
    event.teams.filter(pk=team.pk).update(captain=voter_code)
    if held:
        return team.name, {"voter_code": voter_code, "team": held.number, "successor": team.captain or None}
    return team.name, {"voter_code": team.captain or voter_code, "team": number if team.captain else None}
