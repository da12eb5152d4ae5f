"""Team captains: the captain's ballot breaks ties in matches with the captain tie rule."""

from crowdgame.console.people import ALREADY_DONE, parse_voter_code, unknown_voter_suffix
from crowdgame.events.audit import ActionResult
from games.matches import MatchError, locked_event
from games.models import Event
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Pressed


def set_captain(event_id: int, typed: str | None, number: int | None, box: BallotBox) -> ActionResult:
    """Make the voter captain of team `number` from the next turn on. None ends their captaincy.

    Raises MatchError if the voter code is malformed or nothing changes.
    """
    voter_code, now = parse_voter_code(typed), box.now()
    with locked_event(event_id) as event:
        named, undo = _assign(event, voter_code, number)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    text = (
        f"made {voter_code} captain of {named}{unknown_voter_suffix(event_id, voter_code)}"
        if number
        else f"removed {voter_code} as captain of {named}"
    )
    return ActionResult(text, Pressed(action="voter.captain", voter_code=voter_code, team=number), undo)


def _assign(event: Event, voter_code: str, number: int | None) -> tuple[str, Pressed]:
    """Store the captain and return the text for the audit log and the undo action.

    A voter is captain of one team at most. Raises MatchError if nothing changes.
    """
    held = event.teams.filter(captain=voter_code).first()
    if number is None:
        if held is None:
            raise MatchError(ALREADY_DONE)
        event.teams.filter(pk=held.pk).update(captain="")
        return held.name, Pressed(action="voter.captain", voter_code=voter_code, team=held.number)
    team = event.teams.get(number=number)
    if team.captain == voter_code:
        raise MatchError(ALREADY_DONE)
    event.teams.filter(captain=voter_code).update(captain="")
    event.teams.filter(pk=team.pk).update(captain=voter_code)
    back = Pressed(
        action="voter.captain", voter_code=team.captain or voter_code, team=number if team.captain else None
    )
    return team.name, back
