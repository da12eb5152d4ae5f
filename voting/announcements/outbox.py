"""Transactional outbox: announcements are written with the change, then relayed to the gateways in order."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

import msgspec
from django.db.models import F
from django.utils import timezone
from redis import RedisError

from games.engine.errors import GameError
from voting import protocol
from voting.announcements import channel_layer
from voting.announcements.channel_layer import (
    ALL_EVENTS,
    DROP_SHOWN,
    NOT_A_CHANGE,
    RESTRICTIONS_CHANGED,
    ROLE_CHANGED,
    LayerMessage,
)
from voting.announcements.snapshots import load_snapshot
from voting.matches import event_lock
from voting.metrics.metrics import RELAY_LAG_S
from voting.models import Announcement, Event

log = logging.getLogger(__name__)

RELAY_BATCH_SIZE = 100
SEND_TIMEOUT_S = 0.25  # a closing need not wait longer: the reveal repeats what these messages say
SENT_RETENTION = timedelta(days=1)


def announce(event_id: int, kind: type[protocol.Change], now: int) -> None:
    """Write the announcement of a change, a snapshot of the event. Call it last in the change's transaction.

    Increments the event's `seq`. Raises GameError if gateways could not decode the game's state; that rolls
    the change back. `now` is in milliseconds.
    """
    event = Event.objects.get(pk=event_id)
    announce_all([(event, kind, load_snapshot(event))], now)


def announce_all(
    changes: Sequence[tuple[Event, type[protocol.Change], protocol.EventState]], now: int
) -> None:
    """`announce` a change in each of these events, which are locked and loaded within the lock."""
    Event.objects.filter(pk__in=[event.pk for event, _, _ in changes]).update(seq=F("seq") + 1)
    for event, _, _ in changes:
        event.seq += 1
    Announcement.objects.bulk_create(_draft(event, kind, now, state) for event, kind, state in changes)


def _draft(event: Event, kind: type[protocol.Change], now: int, state: protocol.EventState) -> Announcement:
    """Return the announcement of the event's change number `seq`. Raises GameError, see `announce`."""
    body = msgspec.json.encode(kind(seq=event.seq, at=now, state=state))
    try:
        protocol.decode_change(body)
    except msgspec.ValidationError as refusal:
        raise GameError(f"gateways cannot decode this state: {refusal}") from refusal
    return Announcement(event=event, seq=event.seq, body=body)


def announce_edit(event_id: int, now: int) -> None:
    """Announce that a name or a setting of the event has changed, and relay it."""
    with event_lock(event_id):
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)


def relay(*event_ids: int) -> None:
    """Outbox relay: send the unsent announcements (of these events, or of all) in order; mark them as sent.

    At-least-once delivery: gateways drop repeated ones. Sends up to RELAY_BATCH_SIZE. If Redis is down, the
    next relay sends them.
    """
    unsent = Announcement.objects.filter(sent_at=None).order_by("event_id", "seq")
    if event_ids:
        unsent = unsent.filter(event_id__in=event_ids)
    rows = list(unsent[:RELAY_BATCH_SIZE])
    if not rows:
        return
    try:
        channel_layer.publish([_layer_message(row) for row in rows])
    except (RedisError, OSError) as error:
        log.warning("announcements delayed, channel layer unavailable: %s", error)
        return
    now = timezone.now()
    for row in rows:
        RELAY_LAG_S.observe(max(0.0, (now - row.made_at).total_seconds()))
    Announcement.objects.filter(pk__in=[row.pk for row in rows], sent_at=None).update(sent_at=now)


def publish_seals(seals: Mapping[int, protocol.TurnSealed]) -> None:
    """Publish the seals of events ahead of the changes that follow. Best effort: sent once, not stored."""
    copies = [LayerMessage(pk, NOT_A_CHANGE, msgspec.json.encode(seal)) for pk, seal in seals.items()]
    _publish_once("a seal", *copies)


def publish_restrictions(event_id: int) -> None:
    """Have the gateways reload the restrictions at once. Best effort: they also poll once a second."""
    _publish_once("a restriction", LayerMessage(event_id, RESTRICTIONS_CHANGED, b""))


def publish_role_change(user_id: int, event_id: int = ALL_EVENTS) -> None:
    """Have the gateways close the user's consoles of an event, or of all. Call it after the commit.

    The clients reconnect and join with their new role. Best effort: consoles also check their role regularly.
    """
    _publish_once("a role change", LayerMessage(event_id, ROLE_CHANGED, str(user_id).encode()))


def publish_drop(event_id: int, drop: protocol.DropShown) -> None:
    """Have all displays of the event mark a voter's drop. Best effort: sent once, not stored."""
    _publish_once("a drop", LayerMessage(event_id, DROP_SHOWN, msgspec.json.encode(drop)))


def _publish_once(what: str, *copies: LayerMessage) -> None:
    try:
        channel_layer.publish(copies, SEND_TIMEOUT_S)
    except (RedisError, OSError) as error:
        text = "could not publish %s, channel layer unavailable: %s"
        log.warning(text, what, error, extra={"event": copies[0].event_id})


def warm_up() -> None:
    """Connect to the channel layer, and encode the state of the newest event, without sending it."""
    _publish_once("a first message", LayerMessage(ALL_EVENTS, NOT_A_CHANGE, b""))
    if event := Event.objects.order_by("-pk").first():
        _draft(event, protocol.EventEdited, 0, load_snapshot(event))


def announcements_after(event_id: int, seq: int) -> list[LayerMessage]:
    """Return the announcements of an event after `seq`, in order, at most RELAY_BATCH_SIZE."""
    rows = Announcement.objects.filter(event_id=event_id, seq__gt=seq).order_by("seq")
    return [_layer_message(row) for row in rows[:RELAY_BATCH_SIZE]]


def purge_old() -> None:
    """Delete announcements sent over SENT_RETENTION ago.

    Gateways need only those of the last seconds, because each holds the full state.
    """
    Announcement.objects.filter(sent_at__lt=timezone.now() - SENT_RETENTION).delete()


def latest_seqs(event_ids: Iterable[int]) -> dict[int, int]:
    """Return each event's current `seq`. Deleted events are missing."""
    return dict(Event.objects.filter(pk__in=list(event_ids)).values_list("pk", "seq"))


def _layer_message(row: Announcement) -> LayerMessage:
    return LayerMessage(row.event_id, row.seq, bytes(row.body))
