"""Moderation of voters by voter code: move to the other team, kick, ban, admit again.

A restriction is stored in the database, and all gateways enforce it. This process doesn't know which gateway
holds the voter's socket. Without a ticket or roster entry it can't tell either whether the voter exists. The
audit log then says so (UNKNOWN_VOTER_SUFFIX).
"""

from typing import Any

from crowdgame.console.people_search import is_known_voter
from crowdgame.events.audit import ActionResult
from games.matches import MatchError, event_lock
from games.models import Match, MatchState, Team
from voting.announcements.outbox import publish_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.voter_codes import normalize_voter_code
from voting.models import StoredRestriction
from voting.protocol import Action, Pressed

MAX_RESTRICTIONS = 500
ALREADY_DONE = "Already done."
UNKNOWN_VOTER_SUFFIX = " (code not on any list)"


def move_voter(event_id: int, typed: str | None, team: int | None, box: BallotBox) -> ActionResult:
    """Move the voter to `team` from the next ballot on. None moves them back to their seat's own team.

    Raises MatchError while sides are secret, for a team that votes by a show of hands, or if nothing changes.
    """
    voter_code = parse_voter_code(typed)
    if Match.objects.filter(event=event_id, state=MatchState.PLAYING, max_side_changes__gt=0).exists():
        raise MatchError("Sides are secret in this match. Only voters themselves can change sides.")
    where = f"to {_team_with_phones(event_id, team).name}" if team else "back"
    before = _restrict(event_id, voter_code, box, team=team)
    moved, back = (
        Pressed(action="voter.move", voter_code=voter_code, team=one) for one in (team, before.team)
    )
    return ActionResult(
        f"moved {voter_code} {where}{unknown_voter_suffix(event_id, voter_code)}", moved, back
    )


def kick_voter(event_id: int, typed: str | None, box: BallotBox) -> ActionResult:
    """Close the voter's connection. The phone may join again."""
    voter_code = parse_voter_code(typed)
    _restrict(event_id, voter_code, box, kicked_at=box.now())
    return ActionResult(
        f"removed {voter_code}{unknown_voter_suffix(event_id, voter_code)}",
        Pressed(action="voter.kick", voter_code=voter_code),
    )


def ban_voter(event_id: int, typed: str | None, box: BallotBox) -> ActionResult:
    """Close the voter's connection and reject their seat from then on."""
    voter_code = parse_voter_code(typed)
    _restrict(event_id, voter_code, box, banned=True)
    text = f"banned {voter_code}{unknown_voter_suffix(event_id, voter_code)}"
    return ActionResult(text, _pressed("voter.ban", voter_code), _pressed("voter.admit", voter_code))


def admit_voter(event_id: int, typed: str | None, box: BallotBox) -> ActionResult:
    """Lift a ban. Raises MatchError if the voter isn't banned."""
    voter_code = parse_voter_code(typed)
    _restrict(event_id, voter_code, box, banned=False)
    return ActionResult(
        f"unbanned {voter_code}", _pressed("voter.admit", voter_code), _pressed("voter.ban", voter_code)
    )


def _pressed(action: Action, voter_code: str) -> Pressed:
    return Pressed(action=action, voter_code=voter_code)


def parse_voter_code(typed: str | None) -> str:
    """Return the normalized voter code. Raises MatchError if it is malformed."""
    voter_code = normalize_voter_code(typed or "")
    if voter_code is None:
        raise MatchError("Enter the voter code on the person's phone: six letters, no vowels.")
    return voter_code


def unknown_voter_suffix(event_id: int, voter_code: str) -> str:
    """Return the audit text's caveat for a voter who has no ticket or roster entry, or an empty string."""
    return "" if is_known_voter(event_id, voter_code) else UNKNOWN_VOTER_SUFFIX


def _team_with_phones(event_id: int, number: int) -> Team:
    team = Team.objects.get(event=event_id, number=number)
    if team.hands:
        raise MatchError(f"{team.name} votes by a show of hands. It has no phones.")
    return team


def _restrict(event_id: int, voter_code: str, box: BallotBox, **change: Any) -> StoredRestriction:
    """Store the restriction, publish it to the gateways and return the previous one.

    Raises MatchError if nothing changes or the event has MAX_RESTRICTIONS already.
    """
    now = box.now()
    with event_lock(event_id):
        before = StoredRestriction.objects.filter(event=event_id, voter_code=voter_code).first()
        before = before or StoredRestriction(event_id=event_id, voter_code=voter_code)
        if all(getattr(before, field) == value for field, value in change.items()):
            raise MatchError(ALREADY_DONE)
        if before.pk is None and StoredRestriction.objects.filter(event=event_id).count() >= MAX_RESTRICTIONS:
            raise MatchError(f"At most {MAX_RESTRICTIONS} people per event can be moved, removed or banned.")
        StoredRestriction.objects.update_or_create(
            event_id=event_id, voter_code=voter_code, defaults={**change, "at": now}
        )
    publish_restrictions(event_id)
    return before
