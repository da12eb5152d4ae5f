"""Organizer action on display links: replace the display key."""

from django.db.models import F
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, action
from crowdgame.organizer.cups.models import Cup
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import event_lock
from voting.models import Event


@action(
    "display.renew",
    permission="run",
    target="event",
    label="New display link",
    done="The old display links no longer work. Open the big screen again.",
    confirm="Press again to replace",
)
def renew_display_key(event_id: int, box: BallotBox) -> ActionResult:
    """Replace the key in the display links, also that of the event's cup.

    Screens that were opened with an old link are closed.
    """
    now = box.now()
    newer = F("display_key_version") + 1
    Cup.objects.filter(pairings__event=event_id).update(display_key_version=newer)  # a cup is locked first
    with event_lock(event_id):
        Event.objects.filter(pk=event_id).update(display_key_version=newer)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    return ActionResult(LogText(gettext_noop("%(by)s replaced the display link")))
