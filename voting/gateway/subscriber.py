"""What is announced of a gateway's rooms is told on; a gap, or silence, is filled from the database."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import msgspec
from django.db import transaction
from redis import RedisError

from games.engine.errors import GameError
from games.models import Event
from voting import protocol
from voting.admission.restrictions import rules_of
from voting.announcements.layer import FOR_CONSOLES, NO_CHANGE, RULED, Copy, Subscription
from voting.announcements.outbox import announcements_after, latest_seqs
from voting.announcements.snapshots import snapshot
from voting.ballot_box.stores import DATABASE_AWAY
from voting.gateway.broadcast import broadcast, write_to_all
from voting.gateway.event_room import Room
from voting.gateway.restrictions import enforce
from voting.gateway.side_changes import tell_crossings
from voting.gateway.threads import in_database
from voting.turns.side_changes import crossings_after

log = logging.getLogger(__name__)

LOOK_S = 1.0
DEAF_S = 1.0


class Ears:
    """Of the gateway whose `rooms` these are, by code; `now` is the ballot box's time.

    `went_back` is called when the database turns out to be an older copy of itself, with what it says now.
    """

    def __init__(
        self,
        rooms: Mapping[str, Room],
        now: Callable[[], int],
        went_back: Callable[[Room, Copy], Awaitable[None]],
    ) -> None:
        self._rooms = rooms
        self._now = now
        self._went_back = went_back
        self._subscription = Subscription()
        self._ruling = asyncio.Lock()

    async def join(self, room: Room) -> None:
        await self._subscription.join(room.event_id)

    async def leave(self, room: Room) -> None:
        await self._subscription.leave(room.event_id)

    async def listen(self) -> None:
        while True:
            try:
                async for copy in self._subscription.copies():
                    await self._hear_everywhere(copy)
            except (RedisError, OSError) as trouble:
                log.warning("deaf for a moment: %s", trouble)
                await asyncio.sleep(DEAF_S)

    async def _hear_everywhere(self, copy: Copy) -> None:
        for room in list(self._rooms.values()):
            if room.event_id == copy.event_id:
                await self.hear(room, copy)

    async def hear(self, room: Room, copy: Copy) -> None:
        with suppress(*DATABASE_AWAY):  # the next beat tries again
            if copy.seq == NO_CHANGE:
                await broadcast(room, copy.body)
            elif copy.seq == FOR_CONSOLES:
                await write_to_all(tuple(room.consoles), copy.body.decode())
            elif copy.seq == RULED:
                await self.follow_rulings({room.event_id: room})
            elif copy.seq == room.seq + 1:
                await self._tell(room, copy)
            elif copy.seq > room.seq:
                await self.catch_up(room)

    async def catch_up(self, room: Room) -> None:
        for copy in await in_database(announcements_after)(room.event_id, room.seq):
            await self._tell(room, copy)

    async def _tell(self, room: Room, copy: Copy) -> None:
        async with room.applying:
            if copy.seq > room.seq and (told := await self._apply(room, copy)):
                await broadcast(room, told.body)

    async def _apply(self, room: Room, copy: Copy) -> Copy | None:
        """If another version wrote what cannot be read here, this one's view of the event takes its place."""
        try:
            room.apply(copy)
            return copy
        except msgspec.MsgspecError as trouble:
            log.warning("announcement %s is not read: %s", copy.seq, trouble, extra={"event": room.event_id})
        fresh: Copy | None = await in_database(_state_anew)(room.event_id, self._now())
        if fresh is None:
            room.seq = copy.seq  # what comes next may be read again
        else:
            room.apply(fresh)
        return fresh

    async def look_for_ever(self) -> None:
        """Apart from the beat: each goes on while what the other needs is away."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.find_missed()
            except DATABASE_AWAY as trouble:
                log.warning("what was not heard is not found: %s", trouble)

    async def follow_rulings(self, by_event: Mapping[int, Room]) -> None:
        """What is read first is enforced first: no older ruling takes a newer one's place."""
        async with self._ruling:
            for event_id, rules in (await in_database(rules_of)(by_event)).items():
                enforce(by_event[event_id], rules)

    async def follow_sides(self, room: Room) -> None:
        """Who changed over at another gateway may be here by now."""
        match = room.state.match
        if match is None or not match.defections:
            return
        room.sides.begin(match.id)
        asked = room.sides.last
        last, crossings = await in_database(crossings_after)(match.id, asked)
        if room.sides.match == match.id and crossings:
            room.sides.advance(asked, last)
            tell_crossings(room, crossings)

    async def find_missed(self) -> None:
        by_event = {room.event_id: room for room in self._rooms.values()}
        if not by_event:
            return
        await self.follow_rulings(by_event)
        for room in by_event.values():
            await self.follow_sides(room)
        heard = {event_id: room.seq for event_id, room in by_event.items()}
        for event_id, seq in (await in_database(latest_seqs)(by_event)).items():
            room = by_event[event_id]
            if seq > room.seq:
                await self.catch_up(room)
                if room.seq == heard[event_id]:
                    await self._take_anew(room)
            elif seq < heard[event_id]:
                await self._go_back(room)

    async def _take_anew(self, room: Room) -> None:
        """What would lead to the present state is not written down any more."""
        fresh: Copy | None = await in_database(_state_anew)(room.event_id, self._now())
        if fresh is not None:
            await self._tell(room, fresh)

    async def _go_back(self, room: Room) -> None:
        fresh: Copy | None = await in_database(_state_anew)(room.event_id, self._now())
        if fresh is not None:
            log.warning("event %s went back from %s to %s", room.event_id, room.seq, fresh.seq)
            await self._went_back(room, fresh)


def _state_anew(event_id: int, now: int) -> Copy | None:
    """None if this version makes nothing of the event."""
    try:
        with transaction.atomic():
            event = Event.objects.get(pk=event_id)
            body = msgspec.json.encode(protocol.EventEdited(seq=event.seq, at=now, state=snapshot(event)))
        protocol.decode_change(body)
    except (GameError, Event.DoesNotExist, msgspec.MsgspecError):
        return None
    return Copy(event.pk, event.seq, body)
