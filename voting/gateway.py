"""A process that holds phones' sockets: it keeps its rooms current and tells each what all know.

Announcements come through the channel layer; a gap, or silence, is filled from the database.
Once a second it tells the box whom it holds and tells its rooms the turnout.
"""

import asyncio
import logging
import os
import secrets
import signal
import time
from contextlib import suppress
from functools import cache
from itertools import count

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import OperationalError, transaction
from redis import RedisError

from games.models import Event
from voting import protocol
from voting.announcements import announcements_after, latest_seqs
from voting.archive import store_ballots
from voting.ballot_box import AsyncBallotBox, Turnout
from voting.ballots import Ballot
from voting.box_clock import BoxClock, local_ms
from voting.deadlines import arm_early_close
from voting.fanout import Copy, Subscription
from voting.hub import Room
from voting.intake import Intake
from voting.snapshots import snapshot

log = logging.getLogger(__name__)

BEAT_S = 1.0
PHONES_EVERY_BEATS = 5
ROOM_KEPT_S = 60.0
UNANIMOUS_BEATS = 2


class Gateway:
    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.box = AsyncBallotBox()
        self.intake = Intake(self.box, self._store)
        self._subscription = Subscription()
        self._rooms: dict[str, Room] = {}
        self._opening = asyncio.Lock()
        self._clock = BoxClock()
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._beat_for_ever())]
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
        await database_sync_to_async(store_ballots)(turn_id, ballots, self.now())

    async def room(self, code: str) -> Room | None:
        """The room of the event with this code; None if there is no such event."""
        code = code.upper()
        if code not in self._rooms:
            async with self._opening:
                if code not in self._rooms:
                    await self._open_room(code)
        room = self._rooms.get(code)
        if room is not None:
            room.asked_at = time.monotonic()
        return room

    async def _open_room(self, code: str) -> None:
        room = await database_sync_to_async(_load_room)(code)
        if room is None:
            return
        await self._subscription.join(room.event_id)
        await self._beat(room)
        self._rooms[code] = room
        await self._catch_up(room)

    async def _close_room(self, code: str, room: Room) -> None:
        del self._rooms[code]
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
        if copy.seq == room.seq + 1:
            await self._tell(room, copy)
        elif copy.seq > room.seq:
            with suppress(OperationalError):  # the next beat tries again
                await self._catch_up(room)

    async def _catch_up(self, room: Room) -> None:
        for copy in await database_sync_to_async(announcements_after)(room.event_id, room.seq):
            await self._tell(room, copy)

    async def _tell(self, room: Room, copy: Copy) -> None:
        async with room.applying:
            if copy.seq > room.seq:
                room.apply(copy)
                await room.broadcast(copy.body)

    async def _beat_for_ever(self) -> None:
        for number in count():
            await asyncio.sleep(BEAT_S)
            try:
                await self._beat_once(phones=number % PHONES_EVERY_BEATS == 0)
            except (RedisError, OSError, OperationalError) as trouble:
                log.warning("no beat: %s", trouble)

    async def _beat_once(self, *, phones: bool) -> None:
        await self._find_missed()
        for code, room in list(self._rooms.items()):
            if not room.sockets and time.monotonic() - room.asked_at > ROOM_KEPT_S:
                await self._close_room(code, room)
                continue
            turnout = await self._beat(room)
            await room.tell_turnout(_turnout_of(room, turnout), phones=phones)
            await self._close_early(room, turnout)

    async def _find_missed(self) -> None:
        by_event = {room.event_id: room for room in self._rooms.values()}
        if not by_event:
            return
        for event_id, seq in (await database_sync_to_async(latest_seqs)(by_event)).items():
            if seq > by_event[event_id].seq:
                await self._catch_up(by_event[event_id])

    async def _beat(self, room: Room) -> Turnout:
        asked = local_ms()
        turnout = await self.box.beat(
            room.event_id, self.name, room.occasion, room.connected(), room.waiting()
        )
        self._clock.learn(turnout.now, asked, local_ms())
        return turnout

    async def _close_early(self, room: Room, turnout: Turnout) -> None:
        turn, match = room.turn, room.state.match
        if turn is None or match is None or not match.close_early or turn.paused:
            return
        unanimous = turnout.waiting == 0 and turnout.red + turnout.yellow > 0
        room.unanimous_beats = room.unanimous_beats + 1 if unanimous else 0
        open_now = turn.opens_at <= turnout.now < turn.closes_at
        if open_now and room.unanimous_beats >= UNANIMOUS_BEATS:
            await sync_to_async(arm_early_close, thread_sensitive=False)(turn.id, turn.closes_at)


@cache
def gateway() -> Gateway:
    """This process's gateway; made on the event loop of its first socket."""
    return Gateway()


def _turnout_of(room: Room, turnout: Turnout) -> protocol.TurnoutCounted:
    voted = {room.team_of("red"): turnout.red, room.team_of("yellow"): turnout.yellow}
    return protocol.TurnoutCounted(
        turn=room.turn.id if room.turn else None,
        connected=turnout.connected,
        voted=(voted.get(1, 0), voted.get(2, 0)),
    )


def _end_process_on_failure(task: asyncio.Task[None]) -> None:
    """A gateway without ears or beat would look alive: end it, so that it is started anew."""
    if not task.cancelled() and task.exception() is not None:
        log.critical("the gateway ends", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)


def _load_room(code: str) -> Room | None:
    with transaction.atomic():
        event = Event.objects.filter(code=code).first()
        return Room(event.pk, event.seq, snapshot(event)) if event else None
