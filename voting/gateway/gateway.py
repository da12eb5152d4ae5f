"""The gateway process: holds WebSocket connections in one EventRoom per event and forwards announcements.

Each heartbeat reports the connected voters to the ballot box and sends the turnout to the rooms. On a
graceful shutdown the gateway drains: clients reconnect to the other gateways.
"""

import asyncio
import logging
import os
import secrets
import signal
import time
from contextlib import suppress
from functools import cache

from redis import RedisError

from voting.announcements.channel_layer import LayerMessage
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_clock import BoxClock, local_ms
from voting.ballot_box.intake import Intake
from voting.ballot_box.known_voters import VoterRecorder
from voting.ballot_box.opened_ballots import load_opened_ballots
from voting.counting.ballots import Ballot
from voting.gateway import hooks
from voting.gateway.drain import LEAST_RETRY_MS, close_gradually
from voting.gateway.event_lookup import EventLookup
from voting.gateway.event_room import EventRoom
from voting.gateway.heartbeats import HEARTBEAT_S, Heartbeats
from voting.gateway.presence import Presence, may_move_deadline
from voting.gateway.receipts import Receipts
from voting.gateway.subscriber import EventSubscriber
from voting.gateway.threads import in_database
from voting.typed_codes import normalize_code

log = logging.getLogger(__name__)

CANCEL_TIMEOUT_S = 0.2


class Gateway:
    """The gateway of this process. Create it on a running event loop; it starts the background tasks.

    `retry_ms` is None until the gateway drains. Then clients reconnect within that many milliseconds.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.box = AsyncBallotBox()
        self.intake = Intake(self.box, self._store)
        self.receipts = Receipts(in_database(load_opened_ballots))
        self.retry_ms: int | None = None
        self._rooms: dict[str, EventRoom] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._lookup = EventLookup()
        self._clock = BoxClock()
        self._recorder = VoterRecorder(self.name, self.box)
        self._presence = Presence(self.name, self.box, self._clock)
        self.slow_consumers = 0
        self._clock_checks: set[asyncio.Task[None]] = set()
        self._draining: asyncio.Task[None] | None = None
        self.subscriber = EventSubscriber(self._rooms, self.now, self._roll_back)
        self._heartbeats = Heartbeats(self._rooms, self._presence, self._close_room)
        subscribing = (self.subscriber.listen, self.subscriber.poll_forever)
        own = (*subscribing, self._heartbeats.run, self._log_slow_consumers)
        self._tasks = [asyncio.create_task(task()) for task in (*own, *hooks.background_tasks)]
        for task in self._tasks:
            task.add_done_callback(_end_process_on_failure)

    def now(self) -> int:
        """The ballot box's time in milliseconds, estimated from the last heartbeat."""
        return self._clock.now()

    @property
    def knows_time(self) -> bool:
        """Whether the ballot box's time has been measured."""
        return self._clock.offset_ms is not None

    async def sync_time(self) -> None:
        """Ask the ballot box for its time, unless it is known. Raises redis.RedisError or OSError."""
        if not self.knows_time:
            asked = local_ms()
            self._clock.observe(await self.box.now(), asked, local_ms())

    async def _store(self, turn_id: int, ballots: list[Ballot]) -> None:
        await in_database(store_ballots)(turn_id, ballots, self.now())

    async def room(self, code: str) -> EventRoom | None:
        """Return the room of the event with this code, or None if there is no such event.

        Opens the room on first use. Raises redis.RedisError, OSError, GameError or one of DATABASE_ERRORS.
        """
        if code not in self._rooms:
            code = normalize_code(code)
        if code not in self._rooms and not self._lookup.is_unknown(code):
            await asyncio.shield(self._opening.get(code) or self._start_opening(code))
        room = self._rooms.get(code)
        if room is not None:
            room.asked_at = time.monotonic()
        return room

    def loaded_room(self, code: str) -> EventRoom | None:
        """Return the event's room if it is open at this gateway. Does not query."""
        return self._rooms.get(normalize_code(code))

    def _start_opening(self, code: str) -> asyncio.Task[None]:
        """Open a room in one task shared by all callers. A slow ballot box delays no other event."""

        def done(task: asyncio.Task[None]) -> None:
            del self._opening[code]
            if not task.cancelled():
                task.exception()  # each caller gets the exception; this avoids the warning if none is left

        task = self._opening[code] = asyncio.create_task(self._open_room(code))
        task.add_done_callback(done)
        return task

    async def _open_room(self, code: str) -> None:
        event = await self._lookup.load(code)
        if event is None:
            return
        event_id, seq, state, restrictions = event
        room = EventRoom(
            event_id, seq, state, self.intake, self.box, self._recorder, self._clock.now, restrictions
        )
        await self.subscriber.join(room)
        await self._presence.heartbeat(room)
        self._rooms[code] = room
        await self.subscriber.catch_up(room)
        await room.side_change_queue.sync()

    async def _close_room(self, code: str, room: EventRoom) -> None:
        del self._rooms[code]
        self.receipts.drop_cache(room.event_id)
        self.box.drop_cache(room.event_id)
        await self.subscriber.leave(room)

    async def _roll_back(self, room: EventRoom, fresh: LayerMessage) -> None:
        """Take over an older state after the database was restored, then close all sockets gradually.

        The clients rejoin and get a new snapshot.
        """
        if room not in self._rooms.values():
            return  # closed meanwhile
        async with room.apply_lock:
            self.box.drop_cache(room.event_id)
            self.receipts.drop_cache(room.event_id)
            room.apply(fresh)
        sockets = room.sockets.all()
        retry_ms = max(LEAST_RETRY_MS, room.admission_queue.within_ms(len(sockets)))
        await close_gradually(sockets, HEARTBEAT_S, retry_ms)

    async def _log_slow_consumers(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            slow, self.slow_consumers = self.slow_consumers, 0
            if slow:
                log.info("closed the sockets of slow consumers: %s", slow, extra={"sockets": slow})

    def check_pick(self, room: EventRoom) -> None:
        """After a pick in a duel, request a check of the clocks if the deadline may have changed."""
        if may_move_deadline(room):
            self.request_clock_check(room)

    def request_clock_check(self, room: EventRoom) -> None:
        """Have a worker check the clocks of the turn, in a task of its own: the broker may be slow."""
        task = asyncio.create_task(self._presence.request_clock_check(room))
        self._clock_checks.add(task)
        task.add_done_callback(self._clock_checks.discard)

    async def drain(self, within_s: float) -> None:
        """Graceful shutdown: close all sockets, then wait until every ballot taken is answered.

        Gives up after `within_s` seconds. Idempotent: later calls wait for the same drain. Clients that join
        from now on are closed with RESTARTING.
        """
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(within_s))
        await asyncio.shield(self._draining)

    async def _drain(self, within_s: float) -> None:
        rooms = list(self._rooms.values())
        rejoin_ms = (room.admission_queue.within_ms(len(room.sockets.phones)) for room in rooms)
        self.retry_ms = max([LEAST_RETRY_MS, *rejoin_ms])
        with suppress(TimeoutError):  # phones keep and resend ballots that get no answer
            async with asyncio.timeout(within_s):
                sockets = [socket for room in rooms for socket in room.sockets.all()]
                sockets += [socket for outside_rooms in hooks.drained_sockets for socket in outside_rooms()]
                await close_gradually(sockets, within_s, self.retry_ms)
                await self.intake.wait_until_empty()
        await self._stop_tasks()
        for room in rooms:
            with suppress(RedisError, OSError):  # its presence expires after GATEWAY_STALE_MS
                await self._presence.leave(room)

    async def _stop_tasks(self) -> None:
        """Cancel the background tasks. Repeats: a task that waits for a thread can lose a cancellation."""
        while live := [task for task in self._tasks if not task.done()]:
            for task in live:
                task.cancel()
            await asyncio.wait(live, timeout=CANCEL_TIMEOUT_S)


@cache
def gateway() -> Gateway:
    """The gateway of this process, created on the event loop of its first socket."""
    return Gateway()


def _end_process_on_failure(task: asyncio.Task[None]) -> None:
    """Terminate the process if a background task fails, so that the supervisor restarts it.

    Without subscriber or heartbeats the gateway would still look healthy.
    """
    if not task.cancelled() and task.exception() is not None:
        log.critical("a background task failed, stopping the gateway", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)
