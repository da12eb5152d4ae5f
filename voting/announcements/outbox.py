"""Tell everyone of an event: written with the change itself, sent after it, in order."""

import logging
from collections.abc import Iterable
from datetime import timedelta

import msgspec
from django.db.models import F
from django.utils import timezone
from redis import RedisError

from games.engine.errors import GameError
from games.matches import event_lock
from games.models import Event
from voting import protocol
from voting.announcements import channel_layer as layer
from voting.announcements.snapshots import load_snapshot
from voting.metrics.metrics import RELAY_LAG_S
from voting.models import Announcement

log = logging.getLogger(__name__)

RELAY_BATCH_SIZE = 100
SEND_TIMEOUT_S = 0.25  # a closing waits no longer for what the reveal says again
SENT_RETENTION = timedelta(days=1)


def announce(event_id: int, kind: type[protocol.Change], now: int) -> None:
    """Write the announcement of a change. Call it last in the change's own transaction.

    Raises GameError, and so undoes the change, if a game's state is not one that gateways understand.
    """
    Event.objects.filter(pk=event_id).update(seq=F("seq") + 1)
    event = Event.objects.get(pk=event_id)
    body = msgspec.json.encode(kind(seq=event.seq, at=now, state=load_snapshot(event)))
    try:
        protocol.decode_change(body)
    except msgspec.ValidationError as refusal:
        raise GameError(f"the state cannot be told: {refusal}") from refusal
    Announcement.objects.create(event=event, seq=event.seq, body=body)


def announce_edit(event_id: int, now: int) -> None:
    """Announce that a name or a setting of the event has changed, and send it."""
    with event_lock(event_id):
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


def relay(event_id: int | None = None) -> None:
    """Send what is not sent yet (of one event or of all), in order, then mark it.

    Sending twice does no harm: gateways drop what they know. If Redis is away, the next relay sends.
    """
    unsent = Announcement.objects.filter(sent_at=None).order_by("event_id", "seq")
    if event_id is not None:
        unsent = unsent.filter(event_id=event_id)
    rows = list(unsent[:RELAY_BATCH_SIZE])
    if not rows:
        return
    try:
        layer.publish([_layer_message(row) for row in rows])
    except (RedisError, OSError) as error:
        log.warning("announcements wait, the channel layer is away: %s", error)
        return
    now = timezone.now()
    for row in rows:
        RELAY_LAG_S.observe(max(0.0, (now - row.made_at).total_seconds()))
    Announcement.objects.filter(pk__in=[row.pk for row in rows], sent_at=None).update(sent_at=now)


def publish_now(event_id: int, message: protocol.TurnSealed) -> None:
    """Tell what is no change, before the change that will come of it: once, and not at any price."""
    _publish_once(layer.LayerMessage(event_id, layer.NOT_A_CHANGE, msgspec.json.encode(message)), "a seal")


def publish_to_consoles(event_id: int, message: protocol.AuditLogged) -> None:
    """To the control rooms of an event, at whichever gateway they are, and to nobody else."""
    _publish_once(
        layer.LayerMessage(event_id, layer.FOR_CONSOLES, msgspec.json.encode(message)), "an audit entry"
    )


def publish_restrictions(event_id: int) -> None:
    """Have the gateways look at once; if they do not hear it, they look within a second all the same."""
    _publish_once(layer.LayerMessage(event_id, layer.RESTRICTIONS_CHANGED, b""), "a ruling")


def _publish_once(copy: layer.LayerMessage, what: str) -> None:
    try:
        layer.publish([copy], SEND_TIMEOUT_S)
    except (RedisError, OSError) as error:
        away = "%s is not told, the channel layer is away: %s"
        log.warning(away, what, error, extra={"event": copy.event_id})


def announcements_after(event_id: int, seq: int) -> list[layer.LayerMessage]:
    """What a gateway missed."""
    rows = Announcement.objects.filter(event_id=event_id, seq__gt=seq).order_by("seq")
    return [_layer_message(row) for row in rows[:RELAY_BATCH_SIZE]]


def purge_old() -> None:
    """Drop what was sent long ago: gateways need the last seconds, the state is in each."""
    Announcement.objects.filter(sent_at__lt=timezone.now() - SENT_RETENTION).delete()


def latest_seqs(event_ids: Iterable[int]) -> dict[int, int]:
    return dict(Event.objects.filter(pk__in=list(event_ids)).values_list("pk", "seq"))


def _layer_message(row: Announcement) -> layer.LayerMessage:
    return layer.LayerMessage(row.event_id, row.seq, bytes(row.body))
