"""Moderation of nicknames: allow a typed one, remove one, and undo of a removal."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.people import parse_voter_code, restrict_and_log
from crowdgame.organizer.console.actions.registry import ActionResult, action, undone_by
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Nickname


@action("voter.allow_nickname", target="voter", label="Allow nickname", done="Allowed.")
def allow_nickname(event_id: int, voter_code: str | None, text: str | None, box: BallotBox) -> ActionResult:
    """Let others see the nickname that a voter typed. Refused if the voter has changed it meanwhile."""
    voter_code = parse_voter_code(voter_code)
    waiting = Nickname.objects.filter(event=event_id, voter_code=voter_code, name=text, allowed=False)
    if not waiting.update(allowed=True):
        raise MatchError(_("The voter has changed this nickname."))
    announce_edit(event_id, box.now())
    what = LogText(gettext_noop("%(by)s allowed the nickname of %(voter)s"), {"voter": voter_code})
    return ActionResult(what, {"voter_code": voter_code})


@action("voter.remove_nickname", target="voter", label="Remove nickname", done="Removed from all screens.")
@undone_by("voter.restore_nickname")
def remove_nickname(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Remove a nickname from all screens. The voter can't choose another one."""
    voter_code = parse_voter_code(voter_code)
    if not Nickname.objects.filter(event=event_id, voter_code=voter_code).exists():
        raise MatchError(_("This voter has no nickname."))
    message = gettext_noop("%(by)s removed the nickname of %(voter)s")
    return restrict_and_log(message, event_id, voter_code, box, nameless=True)


@action("voter.restore_nickname", target="voter", label="Restore nickname", done="Restored.")
@undone_by("voter.remove_nickname")
def restore_nickname(event_id: int, voter_code: str | None, box: BallotBox) -> ActionResult:
    """Undo the removal of a nickname."""
    voter_code = parse_voter_code(voter_code)
    message = gettext_noop("%(by)s restored the nickname of %(voter)s")
    return restrict_and_log(message, event_id, voter_code, box, nameless=False)
