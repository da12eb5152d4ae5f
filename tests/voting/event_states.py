"""The public state of an event: from a fresh snapshot, and from its last announcement."""

import msgspec

from voting import protocol
from voting.announcements.snapshots import load_snapshot
from voting.models import Announcement, Event


def shown(event_id: int) -> protocol.EventState:
    return load_snapshot(Event.objects.get(pk=event_id))


def last_announced(event_id: int) -> protocol.EventState:
    row = Announcement.objects.filter(event_id=event_id).order_by("seq").last()
    assert row is not None
    change: protocol.Change = msgspec.json.decode(bytes(row.body), type=protocol.Changes)
    return change.state
