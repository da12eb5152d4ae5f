"""A process that holds phones' sockets: it keeps its rooms current and tells each what all know.

Announcements come through the channel layer; a gap, or silence, is filled from the database.
Once a second it looks for a gap, tells the box whom it holds and tells its rooms the turnout. At its end
it sends its phones to the other gateways.
"""

import asyncio
import logging
import math
import os
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from itertools import count
from typing import Any

import msgspec
from channels.db import DatabaseSyncToAsync
from django.db import transaction
from redis import RedisError

from games.engine.errors import GameError
from games.models import Event
from voting import protocol
from voting.announcements import announcements_after, latest_seqs
from voting.archive import store_ballots
from voting.ballot_box import AsyncBallotBox
from voting.ballots import Ballot
from voting.box_clock import BoxClock, local_ms
from voting.desk import Desk
from voting.door import Door
from voting.fanout import NO_CHANGE, Copy, Subscription
from voting.hub import Room, Socket
from voting.intake import Intake
from voting.metrics import LOOP_LAG_S
from voting.presence import Presence
from voting.protocol import CloseCode
from voting.receipts import Receipts, open_list
from voting.snapshots import snapshot
from voting.stores import DATABASE_AWAY

log = logging.getLogger(__name__)

BEAT_S = 1.0
PHONES_EVERY_BEATS = 5
BUSY_S = 0.1  # a gateway whose beat is so late has better to do than to tell all phones the turnout
ROOM_KEPT_S = 60.0
MISS_KEPT_S = 1.0
MISSES_KEPT = 10_000
GOODBYES_TAKE = 0.6
GOODBYES_A_SECOND = 20
LEAST_RETRY_MS = 500
CANCELLED_WITHIN_S = 0.2

# Threads of their own: what an organizer does in the database must not keep a gateway from its rooms.
_threads = ThreadPoolExecutor(2, "gateway-database")
_in_database: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_threads)
# And newcomers with tickets wait for the database without keeping anybody else from it.
_desk_thread = ThreadPoolExecutor(1, "gateway-tickets")
_at_the_desk: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_desk_thread)


class Gateway:
    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.box = AsyncBallotBox()
        self.intake = Intake(self.box, self._store)
        self.receipts = Receipts(_in_database(open_list))
        self._subscription = Subscription()
        self.retry_ms: int | None = None
        self._rooms: dict[str, Room] = {}
        self._doors: dict[int, Door] = {}
        self._desks: dict[int, Desk] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._looking_up = asyncio.Lock()
        self._missed: dict[str, float] = {}
        self._beating: set[str] = set()
        self._clock = BoxClock()
        self._presence = Presence(self.name, self.box, self._clock)
        self.playbill = self._presence.playbill
        self.slow_readers = 0
        self._draining: asyncio.Task[None] | None = None
        works = (self._listen(), self._look_for_ever(), self._beat_for_ever())
        self._tasks = [asyncio.create_task(work) for work in works]
        for task in self._tasks:
            task.add_done_callback(_end_process_on_failure)

    def now(self) -> int:
        """The ballot box's time, as of the last beat."""
        return self._clock.now()

    async def know_time(self) -> None:
        """Ask the box once, before anybody is told the time. Raises redis.RedisError."""
        if self._clock.offset_ms is None:
            asked = local_ms()
            self._clock.learn(await self.box.now(), asked, local_ms())

    async def _store(self, turn_id: int, ballots: list[Ballot]) -> None:
        await _in_database(store_ballots)(turn_id, ballots, self.now())

    async def room(self, code: str) -> Room | None:
        """The room of the event with this code; None if there is no such event."""
        code = code.upper()
        if code not in self._rooms and time.monotonic() >= self._missed.get(code, 0.0):
            await asyncio.shield(self._opening.get(code) or self._begin_opening(code))
        room = self._rooms.get(code)
        if room is not None:
            room.asked_at = time.monotonic()
        return room

    def door(self, room: Room) -> Door:
        return self._doors[room.event_id]

    def desk(self, room: Room) -> Desk:
        return self._desks[room.event_id]

    def _begin_opening(self, code: str) -> asyncio.Task[None]:
        """One for all who ask for it, and no code waits for another one's box."""

        def done(task: asyncio.Task[None]) -> None:
            del self._opening[code]
            if not task.cancelled():
                task.exception()  # whoever waits for it is told; perhaps nobody does any more

        task = self._opening[code] = asyncio.create_task(self._open_room(code))
        task.add_done_callback(done)
        return task

    async def _open_room(self, code: str) -> None:
        async with self._looking_up:  # strangers' codes must not take the threads that ballots need
            found: _Found | None = await _in_database(_load_event)(code)
        if found is None:
            if len(self._missed) >= MISSES_KEPT:
                self._missed.clear()
            self._missed[code] = time.monotonic() + MISS_KEPT_S
            return
        event_id, seq, state = found
        room = Room(event_id, seq, state, self.intake)
        await self._subscription.join(room.event_id)
        await self._presence.beat(room)
        self._rooms[code] = room
        self._doors[room.event_id] = Door(room, self.box)
        self._desks[room.event_id] = Desk(room.event_id, _at_the_desk)
        await self._catch_up(room)

    async def _close_room(self, code: str, room: Room) -> None:
        del self._rooms[code], self._doors[room.event_id], self._desks[room.event_id]
        self.receipts.forget(room.event_id)
        self.box.forget(room.event_id)
        await self._subscription.leave(room.event_id)

    async def _listen(self) -> None:
        while True:
            try:
                async for copy in self._subscription.copies():
                    await self._hear_everywhere(copy)
            except (RedisError, OSError) as trouble:
                log.warning("deaf for a moment: %s", trouble)
                await asyncio.sleep(BEAT_S)

    async def _hear_everywhere(self, copy: Copy) -> None:
        for room in list(self._rooms.values()):
            if room.event_id == copy.event_id:
                await self._hear(room, copy)

    async def _hear(self, room: Room, copy: Copy) -> None:
        with suppress(*DATABASE_AWAY):  # the next beat tries again
            if copy.seq == NO_CHANGE:
                await room.broadcast(copy.body)
            elif copy.seq == room.seq + 1:
                await self._tell(room, copy)
            elif copy.seq > room.seq:
                await self._catch_up(room)

    async def _catch_up(self, room: Room) -> None:
        for copy in await _in_database(announcements_after)(room.event_id, room.seq):
            await self._tell(room, copy)

    async def _tell(self, room: Room, copy: Copy) -> None:
        async with room.applying:
            if copy.seq > room.seq and (told := await self._apply(room, copy)):
                await room.broadcast(told.body)

    async def _apply(self, room: Room, copy: Copy) -> Copy | None:
        """If another version wrote what cannot be read here, this one's view of the event takes its place."""
        try:
            room.apply(copy)
            return copy
        except msgspec.MsgspecError as trouble:
            log.warning("announcement %s is not read: %s", copy.seq, trouble, extra={"event": room.event_id})
        fresh: Copy | None = await _in_database(_state_anew)(room.event_id, self.now())
        if fresh is None:
            room.seq = copy.seq  # what comes next may be read again
        else:
            room.apply(fresh)
        return fresh

    async def _look_for_ever(self) -> None:
        """Apart from the beat: each goes on while what the other needs is away."""
        while True:
            await asyncio.sleep(BEAT_S)
            try:
                await self._find_missed()
            except DATABASE_AWAY as trouble:
                log.warning("what was not heard is not found: %s", trouble)

    async def _find_missed(self) -> None:
        by_event = {room.event_id: room for room in self._rooms.values()}
        if not by_event:
            return
        heard = {event_id: room.seq for event_id, room in by_event.items()}
        for event_id, seq in (await _in_database(latest_seqs)(by_event)).items():
            room = by_event[event_id]
            if seq > room.seq:
                await self._catch_up(room)
                if room.seq == heard[event_id]:
                    await self._take_anew(room)
            elif seq < heard[event_id]:
                await self._go_back(room)

    async def _take_anew(self, room: Room) -> None:
        """What would lead to the present state is not written down any more."""
        fresh: Copy | None = await _in_database(_state_anew)(room.event_id, self.now())
        if fresh is not None:
            await self._tell(room, fresh)

    async def _go_back(self, room: Room) -> None:
        """The database is an older copy of itself: its state is taken, and all come in anew."""
        fresh: Copy | None = await _in_database(_state_anew)(room.event_id, self.now())
        door = self._doors.get(room.event_id)
        if fresh is None or door is None:
            return
        async with room.applying:
            log.warning("event %s went back from %s to %s", room.event_id, room.seq, fresh.seq)
            self.box.forget(room.event_id)
            self.receipts.forget(room.event_id)
            room.apply(fresh)
        everybody = [*room.screens, *room.phones]
        retry_ms = max(LEAST_RETRY_MS, door.within_ms(len(everybody)))
        await self._say_goodbye(everybody, BEAT_S, retry_ms)

    async def _beat_for_ever(self) -> None:
        """A room whose box does not answer holds up no other one, and is not asked twice at a time."""
        async with asyncio.TaskGroup() as beats:
            for number in count():
                due = time.monotonic() + BEAT_S
                await asyncio.sleep(BEAT_S)
                late = max(0.0, time.monotonic() - due)
                LOOP_LAG_S.observe(late)
                self._tell_slow_readers()
                phones = number % PHONES_EVERY_BEATS == 0 and late < BUSY_S
                for code in self._rooms.keys() - self._beating:
                    self._beating.add(code)
                    beats.create_task(self._beat(code, self._rooms[code], phones=phones))

    def _tell_slow_readers(self) -> None:
        slow, self.slow_readers = self.slow_readers, 0
        if slow:
            log.info("sockets that read too slowly were closed: %s", slow, extra={"sockets": slow})

    async def _beat(self, code: str, room: Room, *, phones: bool) -> None:
        try:
            if room.is_empty and time.monotonic() - room.asked_at > ROOM_KEPT_S:
                await self._close_room(code, room)
            else:
                await self._presence.tell(room, phones=phones)
        except (RedisError, OSError) as trouble:
            log.warning("no beat: %s", trouble, extra={"event": room.event_id})
        finally:
            self._beating.discard(code)

    async def drain(self, within_s: float) -> None:
        """Send everybody to the other gateways, and return once every ballot taken is answered.

        Asked again, it waits for the same end. Whoever joins from now on is sent away at once.
        """
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(within_s))
        await asyncio.shield(self._draining)

    async def _drain(self, within_s: float) -> None:
        rooms = list(self._rooms.values())
        self.retry_ms = max((self._doors[r.event_id].within_ms(len(r.phones)) for r in rooms), default=0)
        self.retry_ms = max(self.retry_ms, LEAST_RETRY_MS)
        with suppress(TimeoutError):  # the phones keep what the box does not take any more
            async with asyncio.timeout(within_s):
                everybody = [s for r in rooms for s in (*r.screens, *r.phones)]
                await self._say_goodbye(everybody, within_s, self.retry_ms)
                await self.intake.emptied()
        await self._rest()
        for room in rooms:
            with suppress(RedisError, OSError):  # whoever is not there any more is forgotten after a while
                await self._presence.leave(room)

    async def _rest(self) -> None:
        """End ears and beat. A cancellation that meets a call in a thread is lost there: it is repeated."""
        while live := [task for task in self._tasks if not task.done()]:
            for task in live:
                task.cancel()
            await asyncio.wait(live, timeout=CANCELLED_WITHIN_S)

    async def _say_goodbye(self, sockets: list[Socket], within_s: float, retry_ms: int) -> None:
        """Spread over most of the time there is, so that the others can take them in."""
        pauses = max(1, int(within_s * GOODBYES_TAKE * GOODBYES_A_SECOND))
        at_once = max(1, math.ceil(len(sockets) / pauses))
        for start in range(0, len(sockets), at_once):
            for socket in sockets[start : start + at_once]:
                socket.end(CloseCode.RESTARTING, retry_ms)
            await asyncio.sleep(1 / GOODBYES_A_SECOND)


@cache
def gateway() -> Gateway:
    """This process's gateway; made on the event loop of its first socket."""
    return Gateway()


def _end_process_on_failure(task: asyncio.Task[None]) -> None:
    """A gateway without ears or beat would look alive: end it, so that it is started anew."""
    if not task.cancelled() and task.exception() is not None:
        log.critical("the gateway ends", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)


_Found = tuple[int, int, protocol.EventState]


def _load_event(code: str) -> _Found | None:
    with transaction.atomic():
        event = Event.objects.filter(code=code).first()
        return (event.pk, event.seq, snapshot(event)) if event else None


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
