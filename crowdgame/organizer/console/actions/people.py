"""Moderation of voters by voter code: move to the other team, kick, ban, and undo of each.

A restriction is stored in the database, and all gateways enforce it. This process doesn't know which gateway
holds the voter's socket.
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.notices import ALREADY_DONE
from crowdgame.organizer.console.actions.registry import ActionResult, CurrentState, action, undone_by
from crowdgame.organizer.console.people_search import is_known_voter
from voting.announcements.outbox import announce, publish_restrictions, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import normalize_voter_code
from voting.matches import MatchError, event_lock
from voting.models import Match, Nickname, StoredRestriction, Team
from voting.protocol import EventEdited
from voting.terms import PHONES, MatchState

MAX_RESTRICTIONS = 500


def _has_secret_sides(now: CurrentState) -> bool:
    match = now.event.match
    return match is not None and match.state == "playing" and match.max_side_changes > 0


@action("voter.move", target="voter", done="Moved.")
@undone_by("voter.move", lambda _pressed, now: not _has_secret_sides(now))
def move_voter(event_id: int, voter_code: str | None, team: int | None, box: BallotBox) -> ActionResult:
    """Move a voter to the other team. A ballot already cast counts until the voter casts the next one.

    Without `team`, the voter goes back to the team of their seat.
    Raises MatchError while sides are secret, for a team without phones, if no phone has the
    code, or if nothing changes.
    """
    voter_code = require_voter(event_id, voter_code, box)
    if Match.objects.filter(event=event_id, state=MatchState.PLAYING, max_side_changes__gt=0).exists():
        raise MatchError(_("Sides are secret in this match. Only voters themselves can change sides."))
    if team:
        message = gettext_noop("%(by)s moved %(voter)s to %(team)s")
        what = LogText(message, {"voter": voter_code, "team": _team_with_phones(event_id, team).name})
    else:
        what = LogText(gettext_noop("%(by)s moved %(voter)s back"), {"voter": voter_code})
    before = restrict(event_id, voter_code, box, team=team)
    about = {"voter_code": voter_code}
    return ActionResult(what, about | {"team": team}, undo=about | {"team": before.team})


@action("voter.kick", target="voter", label="Remove", done="Removed.")
@undone_by("voter.readmit")
def kick_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Disconnect a voter, who may rejoin. Ballots already cast count."""
    voter_code = require_voter(event_id, voter_code, box)
    message = gettext_noop("%(by)s removed %(voter)s")
    return restrict_and_log(message, event_id, voter_code, box, kicked_at=box.now())


@action("voter.readmit", target="voter", label="Let back in", done="The phone rejoins in a few seconds.")
def readmit_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Undo a removal. The voter's phone rejoins by itself."""
    voter_code = parse_voter_code(voter_code)
    message = gettext_noop("%(by)s let %(voter)s back in")
    return restrict_and_log(message, event_id, voter_code, box, kicked_at=None)


@action("voter.ban", target="voter", label="Ban", done="Banned.")
@undone_by("voter.admit")
def ban_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Disconnect a voter and ban the seat. Ballots already cast count."""
    voter_code = require_voter(event_id, voter_code, box)
    return restrict_and_log(gettext_noop("%(by)s banned %(voter)s"), event_id, voter_code, box, banned=True)


@action("voter.admit", target="voter", label="Unban", done="Ban lifted.")
@undone_by("voter.ban")
def admit_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Lift a ban."""
    voter_code = parse_voter_code(voter_code)
    return restrict_and_log(
        gettext_noop("%(by)s unbanned %(voter)s"), event_id, voter_code, box, banned=False
    )


def restrict_and_log(
    message: str, event_id: int, voter_code: str, box: BallotBox, **change: Any
) -> ActionResult:
    """Change what the voter may do. The log says `message`, which names the voter. Raises MatchError."""
    restrict(event_id, voter_code, box, **change)
    return ActionResult(LogText(message, {"voter": voter_code}), {"voter_code": voter_code})


def require_voter(event_id: int, typed: str | None, box: BallotBox) -> str:
    """Return the normalized voter code. Raises MatchError if it is malformed or nobody has it."""
    voter_code = parse_voter_code(typed)
    if not is_known_voter(event_id, voter_code, box):
        raise MatchError(_("No phone has this code."))
    return voter_code


def parse_voter_code(typed: str | None) -> str:
    """Return the normalized voter code. Raises MatchError if it is malformed."""
    voter_code = normalize_voter_code(typed or "")
    if voter_code is None:
        raise MatchError(_("Enter the voter code on the person's phone: six letters, no vowels."))
    return voter_code


def _team_with_phones(event_id: int, number: int) -> Team:
    team = Team.objects.get(event=event_id, number=number)
    if team.source != PHONES:
        raise MatchError(_("%(team)s votes without phones.") % {"team": team.name})
    return team


def restrict(event_id: int, voter_code: str, box: BallotBox, **change: Any) -> StoredRestriction:
    """Store the restriction, publish it to the gateways and return the previous one.

    Screens that show the voter's nickname learn at once whether they still may.

    Raises MatchError if nothing changes or the event has MAX_RESTRICTIONS already.
    """
    now = box.now()
    with event_lock(event_id):
        before = StoredRestriction.objects.filter(event=event_id, voter_code=voter_code).first()
        before = before or StoredRestriction(event_id=event_id, voter_code=voter_code)
        if all(getattr(before, field) == value for field, value in change.items()):
            raise MatchError(str(ALREADY_DONE))
        if before.pk is None and StoredRestriction.objects.filter(event=event_id).count() >= MAX_RESTRICTIONS:
            text = _("At most %(count)s people per event can be moved, removed or banned.")
            raise MatchError(text % {"count": MAX_RESTRICTIONS})
        StoredRestriction.objects.update_or_create(
            event_id=event_id, voter_code=voter_code, defaults={**change, "at": now}
        )
        is_named = Nickname.objects.filter(event=event_id, voter_code=voter_code).exists()
        if is_named:
            announce(event_id, EventEdited, now)
    publish_restrictions(event_id)
    if is_named:
        relay(event_id)
    return before
