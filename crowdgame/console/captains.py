"""Who a team's captain is: whose ballot breaks a tie, in matches that are played so."""

from crowdgame.console.people import SO_ALREADY, doubt, read_sign
from crowdgame.events.audit import Done
from games.matches import MatchError, changing_event
from games.models import Event
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.protocol import Pressed


def name_captain(event_id: int, typed: str | None, number: int | None, box: BallotBox) -> Done:
    """Of this team from the next turn on, or without one of none any more. Raises MatchError."""
    sign, now = read_sign(typed), box.now()
    with changing_event(event_id) as event:
        named, undo = _name(event, sign, number)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    told = f"made {sign} captain of {named}{doubt(event_id, sign)}" if number else f"took {named} from {sign}"
    return Done(told, Pressed(action="voter.captain", sign=sign, team=number), undo)


def _name(event: Event, sign: str, number: int | None) -> tuple[str, Pressed]:
    """What the deed is told with, and what takes it back. Nobody is captain of both teams."""
    held = event.teams.filter(captain=sign).first()
    if number is None:
        if held is None:
            raise MatchError(SO_ALREADY)
        event.teams.filter(pk=held.pk).update(captain="")
        return f"the captaincy of {held.name}", Pressed(action="voter.captain", sign=sign, team=held.number)
    team = event.teams.get(number=number)
    if team.captain == sign:
        raise MatchError(SO_ALREADY)
    event.teams.filter(captain=sign).update(captain="")
    event.teams.filter(pk=team.pk).update(captain=sign)
    back = Pressed(action="voter.captain", sign=team.captain or sign, team=number if team.captain else None)
    return team.name, back
