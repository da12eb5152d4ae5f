"""What organizers did: kept with the event, and told to every control room of it, whoever did it."""

from typing import Any, cast

from voting import protocol
from voting.fanout.announcements import tell_consoles
from voting.models import Deed
from voting.protocol import Action

SHOWN = 10


def keep_deed(event_id: int, by: str, action: Action, what: str, now: int) -> None:
    """After it was done; `what` is fit to be shown, `now` the ballot box's time."""
    deed = Deed.objects.create(event_id=event_id, by=by, action=action, what=what, at=now)
    tell_consoles(event_id, protocol.DeedTold(deed=_told(deed)))


def latest_deeds(event_id: int) -> tuple[protocol.Deed, ...]:
    """Newest first."""
    return tuple(map(_told, Deed.objects.filter(event_id=event_id).order_by("-at", "-pk")[:SHOWN]))


def _told(deed: Deed) -> protocol.Deed:
    return protocol.Deed(id=deed.pk, by=deed.by, action=cast(Any, deed.action), what=deed.what, at=deed.at)
