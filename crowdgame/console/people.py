"""People in a hall, by the sign on their phone: moved to the other team, sent out, kept out.

A ruling is written where every gateway reads it. Nobody here knows at which of them its voter is, nor,
without a list, whether there is one: so it is said with an if.
"""

from typing import Any

from crowdgame.console.people_search import is_listed
from crowdgame.events.audit import Done
from games.matches import MatchError, changing
from games.models import Match, MatchState, Team
from voting.admission.seats import plain_sign
from voting.announcements.outbox import tell_of_ruling
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Ruling
from voting.protocol import Action, Pressed

MOST_RULINGS = 500
SO_ALREADY = "It is so already."
IF_ANYBODY = ", if anybody here has that sign"


def move_voter(event_id: int, typed: str | None, team: int | None, box: BallotBox) -> Done:
    """Into this team, or without one back into the seat's own; from the next ballot on."""
    sign = read_sign(typed)
    if Match.objects.filter(event=event_id, state=MatchState.PLAYING, defections__gt=0).exists():
        raise MatchError("While sides are secret, everybody changes over alone, or not at all.")
    where = f"to {_team_with_phones(event_id, team).name}" if team else "back"
    before = _rule(event_id, sign, box, team=team)
    moved, back = (Pressed(action="voter.move", sign=sign, team=one) for one in (team, before.team))
    return Done(f"moved {sign} {where}{doubt(event_id, sign)}", moved, back)


def dismiss_voter(event_id: int, typed: str | None, box: BallotBox) -> Done:
    """Put the phone out; it may come in again."""
    sign = read_sign(typed)
    _rule(event_id, sign, box, sent_out_at=box.now())
    return Done(f"sent {sign} out{doubt(event_id, sign)}", Pressed(action="voter.dismiss", sign=sign))


def ban_voter(event_id: int, typed: str | None, box: BallotBox) -> Done:
    """Put the phone out, and keep its seat out."""
    sign = read_sign(typed)
    _rule(event_id, sign, box, kept_out=True)
    told = f"kept {sign} out{doubt(event_id, sign)}"
    return Done(told, _pressed("voter.ban", sign), _pressed("voter.admit", sign))


def admit_voter(event_id: int, typed: str | None, box: BallotBox) -> Done:
    sign = read_sign(typed)
    _rule(event_id, sign, box, kept_out=False)
    return Done(f"let {sign} in again", _pressed("voter.admit", sign), _pressed("voter.ban", sign))


def _pressed(action: Action, sign: str) -> Pressed:
    return Pressed(action=action, sign=sign)


def read_sign(typed: str | None) -> str:
    sign = plain_sign(typed or "")
    if sign is None:
        raise MatchError("Type the sign on the person's phone: six letters, no vowels.")
    return sign


def doubt(event_id: int, sign: str) -> str:
    return "" if is_listed(event_id, sign) else IF_ANYBODY


def _team_with_phones(event_id: int, number: int) -> Team:
    team = Team.objects.get(event=event_id, number=number)
    if team.hands:
        raise MatchError(f"{team.name} votes by a show of hands: it takes no phones.")
    return team


def _rule(event_id: int, sign: str, box: BallotBox, **change: Any) -> Ruling:
    """Write it and have it enforced; what was ruled before. Raises MatchError if nothing changes."""
    now = box.now()
    with changing(event_id):
        before = Ruling.objects.filter(event=event_id, sign=sign).first()
        before = before or Ruling(event_id=event_id, sign=sign)
        if all(getattr(before, field) == value for field, value in change.items()):
            raise MatchError(SO_ALREADY)
        if before.pk is None and Ruling.objects.filter(event=event_id).count() >= MOST_RULINGS:
            raise MatchError(f"Of one event at most {MOST_RULINGS} people can be moved or sent out.")
        Ruling.objects.update_or_create(event_id=event_id, sign=sign, defaults={**change, "at": now})
    tell_of_ruling(event_id)
    return before
