"""Event subscriber: forwards announcements to local event rooms and fills gaps from the database (outbox)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress

import msgspec
from django.db import transaction
from redis import RedisError

from games.engine.errors import GameError
from voting import protocol
from voting.admission.restrictions import Restrictions, load_restrictions
from voting.announcements.channel_layer import (
    ALL_EVENTS,
    DROP_SHOWN,
    NOT_A_CHANGE,
    RESTRICTIONS_CHANGED,
    ROLE_CHANGED,
    LayerMessage,
    Subscription,
)
from voting.announcements.outbox import announcements_after, latest_seqs
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway.event_room import EventRoom
from voting.gateway.restriction_enforcement import enforce_restrictions
from voting.gateway.text_frames import text_frame
from voting.gateway.threads import in_database
from voting.models import Event

log = logging.getLogger(__name__)

POLL_S = 1.0
SEAL_HOLD_S = 0.25
RECONNECT_WAIT_S = 1.0


class EventSubscriber:
    """Keeps a gateway's `rooms`, by event code, up to date. `now` returns the ballot box's time in ms.

    `on_rollback` is called with a fresh copy when the database has an older state, after a restore.
    """

    def __init__(
        self,
        rooms: Mapping[str, EventRoom],
        now: Callable[[], int],
        on_rollback: Callable[[EventRoom, LayerMessage], Awaitable[None]],
    ) -> None:
        self._rooms = rooms
        self._now = now
        self._on_rollback = on_rollback
        self._subscription = Subscription()
        self._restrictions_lock = asyncio.Lock()

    async def join(self, room: EventRoom) -> None:
        """Subscribe to the event's announcements. Raises redis.RedisError or OSError."""
        await self._subscription.join(room.event_id)

    async def leave(self, room: EventRoom) -> None:
        """Unsubscribe from the event's announcements. Raises redis.RedisError or OSError."""
        await self._subscription.leave(room.event_id)

    async def listen(self) -> None:
        """Receive announcements until cancelled. Reconnects after RECONNECT_WAIT_S if Redis fails.

        Each message is received in a task of its own, so that no event waits for another one. Role changes
        take effect at once, before any later message is sent.
        """
        async with asyncio.TaskGroup() as receiving:
            while True:
                try:
                    await self._subscription.join(ALL_EVENTS)
                    async for copy in self._subscription.copies():
                        for room in self._rooms.values():
                            if copy.seq == ROLE_CHANGED and copy.event_id in (ALL_EVENTS, room.event_id):
                                room.sockets.change_role(int(copy.body))
                            elif room.event_id == copy.event_id:
                                receiving.create_task(self.receive(room, copy))
                except (RedisError, OSError) as error:
                    log.warning("lost the channel layer subscription, reconnecting: %s", error)
                    await asyncio.sleep(RECONNECT_WAIT_S)

    async def receive(self, room: EventRoom, copy: LayerMessage) -> None:
        """Apply a message to the room and forward it to its sockets.

        A gap before a change is filled from the outbox. A change that the room has applied is ignored.
        """
        with suppress(*DATABASE_ERRORS):  # the next poll tries again
            if copy.seq == NOT_A_CHANGE:
                await _send_seal(room, copy.body)
            elif copy.seq == RESTRICTIONS_CHANGED:
                await self.sync_restrictions({room.event_id: room})
            elif copy.seq == DROP_SHOWN:
                _send_drop(room, copy.body)
            elif copy.seq == room.seq + 1:
                await self._apply_and_broadcast(room, copy)
            elif copy.seq > room.seq:
                await self.catch_up(room)

    async def catch_up(self, room: EventRoom) -> None:
        """Apply and forward the announcements after the room's `seq`. Raises one of DATABASE_ERRORS."""
        for copy in await in_database(announcements_after)(room.event_id, room.seq):
            await self._apply_and_broadcast(room, copy)

    async def _apply_and_broadcast(self, room: EventRoom, copy: LayerMessage) -> None:
        async with room.apply_lock:
            if copy.seq > room.seq and (applied := await self._apply(room, copy)):
                room.broadcaster.add(room.sockets.all(), text_frame(applied.body))
        await room.broadcaster.flush()

    async def _apply(self, room: EventRoom, copy: LayerMessage) -> LayerMessage | None:
        """Apply a change. Returns what was applied.

        A change that another version wrote may be unreadable here. A fresh copy of the event replaces it;
        None if that is unreadable, too.
        """
        try:
            room.apply(copy)
            return copy
        except msgspec.MsgspecError as error:
            log.warning(
                "could not decode announcement %s: %s", copy.seq, error, extra={"event": room.event_id}
            )
        fresh: LayerMessage | None = await in_database(_fresh_copy)(room.event_id, self._now())
        if fresh is None:
            room.seq = copy.seq  # later changes may be readable again
        else:
            room.apply(fresh)
        return fresh

    async def poll_forever(self) -> None:
        """Poll the database every POLL_S for missed changes.

        Independent of the heartbeats: polls continue while Redis is down, heartbeats while the database is.
        """
        while True:
            await asyncio.sleep(POLL_S)
            try:
                await self.catch_up_all()
            except DATABASE_ERRORS as error:
                log.warning("could not load missed announcements: %s", error)

    async def sync_restrictions(self, by_event: Mapping[int, EventRoom]) -> None:
        """Load and enforce the restrictions of events.

        The lock keeps reading and enforcing in one order, so that an older read never replaces a newer one.
        """
        async with self._restrictions_lock:
            _enforce_all(by_event, await in_database(load_restrictions)(by_event))

    async def catch_up_all(self) -> None:
        """Bring all rooms up to date: restrictions, side changes, missed changes, rollbacks.

        Polls the database once for all of them; matches with side changes have a query of their own.
        Raises one of DATABASE_ERRORS.
        """
        by_event = {room.event_id: room for room in self._rooms.values()}
        if not by_event:
            return
        known_seqs = {event_id: room.seq for event_id, room in by_event.items()}
        async with self._restrictions_lock:
            restrictions, seqs = await in_database(_poll)(by_event)
            _enforce_all(by_event, restrictions)
        for room in by_event.values():
            await room.side_change_queue.sync()
        for event_id, seq in seqs.items():
            room = by_event[event_id]
            if seq > room.seq:
                await self.catch_up(room)
                if room.seq == known_seqs[event_id]:
                    await self._take_fresh_copy(room)
            elif seq < known_seqs[event_id]:
                await self._roll_back(room)

    async def _take_fresh_copy(self, room: EventRoom) -> None:
        """Apply a fresh copy when the outbox no longer has the changes up to the current state."""
        fresh: LayerMessage | None = await in_database(_fresh_copy)(room.event_id, self._now())
        if fresh is not None:
            await self._apply_and_broadcast(room, fresh)

    async def _roll_back(self, room: EventRoom) -> None:
        """Call `on_rollback` with a fresh copy of an event whose database row is older than the room."""
        fresh: LayerMessage | None = await in_database(_fresh_copy)(room.event_id, self._now())
        if fresh is not None:
            log.warning(
                "the database was rolled back: event %s from seq %s to %s", room.event_id, room.seq, fresh.seq
            )
            await self._on_rollback(room, fresh)


def _poll(event_ids: Iterable[int]) -> tuple[dict[int, Restrictions], dict[int, int]]:
    """The restrictions and the current `seq` of each event."""
    return load_restrictions(event_ids), latest_seqs(event_ids)


def _enforce_all(by_event: Mapping[int, EventRoom], restrictions: Mapping[int, Restrictions]) -> None:
    for event_id, in_event in restrictions.items():
        enforce_restrictions(by_event[event_id], in_event)


async def _send_seal(room: EventRoom, body: bytes) -> None:
    """Send a seal to the screens at once, and to the phones with the reveal or after SEAL_HOLD_S.

    A full broadcast of the seal would delay the reveal. Ignores repeated seals, those of past turns, and
    those of another version that this one cannot read.
    """
    seal = text_frame(body)
    try:
        turn = msgspec.json.decode(body, type=protocol.TurnSealed).turn
    except msgspec.MsgspecError as error:
        log.warning("could not decode a seal: %s", error, extra={"event": room.event_id})
        return
    if room.is_past(turn) or room.seal == seal:
        return
    room.seal = seal
    room.broadcaster.add(room.sockets.screens, seal)
    room.broadcaster.hold(room.sockets.phones, seal)
    await room.broadcaster.flush()
    await asyncio.sleep(SEAL_HOLD_S)
    room.broadcaster.release()
    await room.broadcaster.flush()


def _send_drop(room: EventRoom, body: bytes) -> None:
    frame = text_frame(body)
    for display in room.sockets.screens - room.sockets.consoles:
        display.write(frame)


def _fresh_copy(event_id: int, now: int) -> LayerMessage | None:
    """The event's current state as an EventEdited change; None if this version cannot read it."""
    try:
        with transaction.atomic():
            event = Event.objects.get(pk=event_id)
            body = msgspec.json.encode(
                protocol.EventEdited(seq=event.seq, at=now, state=load_snapshot(event))
            )
        protocol.decode_change(body)
    except (GameError, Event.DoesNotExist, msgspec.MsgspecError):
        return None
    return LayerMessage(event.pk, event.seq, body)
