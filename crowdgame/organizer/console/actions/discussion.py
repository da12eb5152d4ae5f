"""Organizer actions on the discussion of a team: turn it on or off, mute a voter, and undo of each."""

from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.events.event_texts import DISCUSSION_CONFLICT
from crowdgame.organizer.console.actions.notices import ALREADY_DONE, update_event
from crowdgame.organizer.console.actions.people import parse_voter_code, require_voter, restrict_and_log
from crowdgame.organizer.console.actions.registry import ActionResult, action, undone_by
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Event


@action("discussion.start", target="event", label="Turn on", done="Teams can write now.")
@undone_by("discussion.stop", lambda _pressed, now: now.event.team_discussion)
def start_discussion(event_id: int, box: BallotBox) -> ActionResult:
    """Let each team write suggestions that only its own voters and the organizers see."""
    if Event.objects.filter(pk=event_id, max_side_changes__gt=0).exists():
        raise MatchError(str(DISCUSSION_CONFLICT))
    update_event(event_id, ALREADY_DONE, box, team_discussion=True)
    return ActionResult(LogText(gettext_noop("%(by)s turned on the team discussion")))


@action("discussion.stop", target="event", label="Turn off", done="Voters see no suggestions any more.")
@undone_by("discussion.start", lambda _pressed, now: not now.event.team_discussion)
def stop_discussion(event_id: int, box: BallotBox) -> ActionResult:
    """Turn off the team discussion."""
    update_event(event_id, ALREADY_DONE, box, team_discussion=False)
    return ActionResult(LogText(gettext_noop("%(by)s turned off the team discussion")))


@action("voter.mute", target="voter", label="Mute", done="Muted.")
@undone_by("voter.unmute")
def mute_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Keep a voter from writing suggestions. The voter can still read them and vote."""
    voter_code = require_voter(event_id, voter_code, box)
    return restrict_and_log(gettext_noop("%(by)s muted %(voter)s"), event_id, voter_code, box, muted=True)


@action("voter.unmute", target="voter", label="Unmute", done="The voter can write again.")
@undone_by("voter.mute")
def unmute_voter(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Let a muted voter write suggestions again."""
    voter_code = parse_voter_code(voter_code)
    return restrict_and_log(gettext_noop("%(by)s unmuted %(voter)s"), event_id, voter_code, box, muted=False)
