"""A process that holds phones' sockets, in a room for each event; its ears keep the rooms current.

Once a second it tells the box whom it holds and its rooms the turnout. At its end it sends its phones to the
other gateways.
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

from django.db import transaction
from redis import RedisError

from games.models import Event
from voting import protocol
from voting.admission.restrictions import Restrictions, load_restrictions
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.ballot_box.box_clock import BoxClock, local_ms
from voting.ballot_box.intake import Intake
from voting.counting.ballots import Ballot
from voting.gateway import hooks
from voting.gateway.admission_queue import AdmissionQueue
from voting.gateway.drain import LEAST_RETRY_MS, close_gradually
from voting.gateway.event_room import EventRoom
from voting.gateway.pick_deadline import may_move_deadline
from voting.gateway.presence import Presence
from voting.gateway.receipts import Receipts, load_opened_ballots
from voting.gateway.side_change_queue import SideChangeQueue
from voting.gateway.subscriber import EventSubscriber
from voting.gateway.threads import in_database, in_ticket_thread
from voting.gateway.ticket_claims import TicketClaims
from voting.metrics.metrics import LOOP_LAG_S

log = logging.getLogger(__name__)

HEARTBEAT_S, HEARTBEAT_SLOTS = 1.0, 10
PHONES_EVERY_HEARTBEATS = 5
TEAMS_EVERY_HEARTBEATS = 2
DUELS_EVERY_HEARTBEATS = 2
MAX_LAG_S = 0.1  # a gateway whose beat is so late has better to do than to tell phones how the vote goes
IDLE_ROOM_TTL_S = 60.0
MISS_TTL_S = 1.0
MAX_MISSES = 10_000
CANCEL_TIMEOUT_S = 0.2


class Gateway:
    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.box = AsyncBallotBox()
        self.intake = Intake(self.box, self._store)
        self.receipts = Receipts(in_database(load_opened_ballots))
        self.retry_ms: int | None = None
        self._rooms: dict[str, EventRoom] = {}
        self._admission_queues: dict[int, AdmissionQueue] = {}
        self._ticket_claims: dict[int, TicketClaims] = {}
        self._side_change_queues: dict[int, SideChangeQueue] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._looking_up = asyncio.Lock()
        self._unknown_codes: dict[str, float] = {}
        self._in_heartbeat: set[str] = set()
        self._clock = BoxClock()
        self._presence = Presence(self.name, self.box, self._clock)
        self.slow_consumers = 0
        self._clock_checks: set[asyncio.Task[None]] = set()
        self._draining: asyncio.Task[None] | None = None
        self.subscriber = EventSubscriber(self._rooms, self.now, self._roll_back)
        own = (self.subscriber.listen, self.subscriber.poll_forever, self._run_heartbeats)
        self._tasks = [asyncio.create_task(task()) for task in (*own, *hooks.background_tasks)]
        for task in self._tasks:
            task.add_done_callback(_end_process_on_failure)

    def now(self) -> int:
        """The ballot box's time, as of the last beat."""
        return self._clock.now()

    async def sync_time(self) -> None:
        """Ask the box once, before anybody is told the time. Raises redis.RedisError."""
        if self._clock.offset_ms is None:
            asked = local_ms()
            self._clock.observe(await self.box.now(), asked, local_ms())

    async def _store(self, turn_id: int, ballots: list[Ballot]) -> None:
        await in_database(store_ballots)(turn_id, ballots, self.now())

    async def room(self, code: str) -> EventRoom | None:
        """The room of the event with this code; None if there is no such event."""
        code = code.upper()
        if code not in self._rooms and time.monotonic() >= self._unknown_codes.get(code, 0.0):
            await asyncio.shield(self._opening.get(code) or self._start_opening(code))
        room = self._rooms.get(code)
        if room is not None:
            room.asked_at = time.monotonic()
        return room

    def loaded_room(self, code: str) -> EventRoom | None:
        """The event's room if somebody of it is, or was lately, at this gateway."""
        return self._rooms.get(code.upper())

    def admission_queue(self, room: EventRoom) -> AdmissionQueue:
        return self._admission_queues[room.event_id]

    def ticket_claims(self, room: EventRoom) -> TicketClaims:
        return self._ticket_claims[room.event_id]

    def side_change_queue(self, room: EventRoom) -> SideChangeQueue:
        return self._side_change_queues[room.event_id]

    def _start_opening(self, code: str) -> asyncio.Task[None]:
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
            found: _LoadedEvent | None = await in_database(_load_event)(code)
        if found is None:
            if len(self._unknown_codes) >= MAX_MISSES:
                self._unknown_codes.clear()
            self._unknown_codes[code] = time.monotonic() + MISS_TTL_S
            return
        event_id, seq, state, restrictions = found
        room = EventRoom(event_id, seq, state, self.intake, restrictions=restrictions)
        await self.subscriber.join(room)
        await self._presence.heartbeat(room)
        self._rooms[code] = room
        self._admission_queues[room.event_id] = AdmissionQueue(room, self.box)
        self._ticket_claims[room.event_id] = TicketClaims(room.event_id, in_ticket_thread)
        self._side_change_queues[room.event_id] = SideChangeQueue(room, in_database, self.now)
        await self.subscriber.catch_up(room)
        await self.subscriber.sync_side_changes(room)

    async def _close_room(self, code: str, room: EventRoom) -> None:
        del self._rooms[code], self._admission_queues[room.event_id], self._ticket_claims[room.event_id]
        del self._side_change_queues[room.event_id]
        self.receipts.drop_cache(room.event_id)
        self.box.drop_cache(room.event_id)
        await self.subscriber.leave(room)

    async def _roll_back(self, room: EventRoom, fresh: LayerMessage) -> None:
        """The database's older state is taken, and all come in anew."""
        admission_queue = self._admission_queues.get(room.event_id)
        if admission_queue is None:
            return
        async with room.apply_lock:
            self.box.drop_cache(room.event_id)
            self.receipts.drop_cache(room.event_id)
            room.apply(fresh)
        everybody = [*room.screens, *room.phones]
        await close_gradually(
            everybody, HEARTBEAT_S, max(LEAST_RETRY_MS, admission_queue.within_ms(len(everybody)))
        )

    async def _run_heartbeats(self) -> None:
        """A room whose box does not answer holds up no other one, and is not asked twice at a time.

        A thousand rooms do not ask in the same instant: each has its own part of a beat.
        """
        async with asyncio.TaskGroup() as heartbeats:
            for number in count():
                self._log_slow_consumers()
                for part in range(HEARTBEAT_SLOTS):
                    due = time.monotonic() + HEARTBEAT_S / HEARTBEAT_SLOTS
                    await asyncio.sleep(HEARTBEAT_S / HEARTBEAT_SLOTS)
                    late = max(0.0, time.monotonic() - due)
                    LOOP_LAG_S.observe(late)
                    phones = number % PHONES_EVERY_HEARTBEATS == 0 and late < MAX_LAG_S
                    teams = number % TEAMS_EVERY_HEARTBEATS == 0 and late < MAX_LAG_S
                    for code, room in self._due_rooms(number, part):
                        self._in_heartbeat.add(code)
                        heartbeats.create_task(self._heartbeat(code, room, phones=phones, teams=teams))

    def _due_rooms(self, number: int, part: int) -> list[tuple[str, EventRoom]]:
        """The rooms of this part of a beat whose last one is over; a duel has one in every other beat."""
        due = [(code, room) for code, room in self._rooms.items() if room.event_id % HEARTBEAT_SLOTS == part]
        due = [
            (code, room)
            for code, room in due
            if not room.is_one_on_one or number % DUELS_EVERY_HEARTBEATS == 0
        ]
        return [(code, room) for code, room in due if code not in self._in_heartbeat]

    def _log_slow_consumers(self) -> None:
        slow, self.slow_consumers = self.slow_consumers, 0
        if slow:
            log.info("sockets that read too slowly were closed: %s", slow, extra={"sockets": slow})

    async def _heartbeat(self, code: str, room: EventRoom, *, phones: bool, teams: bool) -> None:
        try:
            if room.is_empty and time.monotonic() - room.asked_at > IDLE_ROOM_TTL_S:
                await self._close_room(code, room)
            else:
                await self._presence.send_updates(room, phones=phones, teams=teams)
        except (RedisError, OSError) as error:
            log.warning("no heartbeat: %s", error, extra={"event": room.event_id})
        finally:
            self._in_heartbeat.discard(code)

    def check_pick(self, room: EventRoom) -> None:
        if may_move_deadline(room):
            self.request_clock_check(room)

    def request_clock_check(self, room: EventRoom) -> None:
        """Beside the conversation: a worker is to see who has picked, and nobody waits for the broker."""
        task = asyncio.create_task(self._presence.request_clock_check(room))
        self._clock_checks.add(task)
        task.add_done_callback(self._clock_checks.discard)

    async def drain(self, within_s: float) -> None:
        """Send everybody to the other gateways, and return once every ballot taken is answered.

        Asked again, it waits for the same end. Whoever joins from now on is sent away at once.
        """
        if self._draining is None:
            self._draining = asyncio.create_task(self._drain(within_s))
        await asyncio.shield(self._draining)

    async def _drain(self, within_s: float) -> None:
        rooms = list(self._rooms.values())
        self.retry_ms = max(
            (self._admission_queues[r.event_id].within_ms(len(r.phones)) for r in rooms), default=0
        )
        self.retry_ms = max(self.retry_ms, LEAST_RETRY_MS)
        with suppress(TimeoutError):  # the phones keep what the box does not take any more
            async with asyncio.timeout(within_s):
                everybody = [s for r in rooms for s in (*r.screens, *r.phones)]
                everybody += [socket for sockets in hooks.drained_sockets for socket in sockets()]
                await close_gradually(everybody, within_s, self.retry_ms)
                await self.intake.wait_until_empty()
        await self._stop_tasks()
        for room in rooms:
            with suppress(RedisError, OSError):  # whoever is not there any more is forgotten after a while
                await self._presence.leave(room)

    async def _stop_tasks(self) -> None:
        """End ears and beat. A cancellation that meets a call in a thread is lost there: it is repeated."""
        while live := [task for task in self._tasks if not task.done()]:
            for task in live:
                task.cancel()
            await asyncio.wait(live, timeout=CANCEL_TIMEOUT_S)


@cache
def gateway() -> Gateway:
    """This process's gateway; made on the event loop of its first socket."""
    return Gateway()


def _end_process_on_failure(task: asyncio.Task[None]) -> None:
    """A gateway without ears or beat would look alive: end it, so that it is started anew."""
    if not task.cancelled() and task.exception() is not None:
        log.critical("the gateway ends", exc_info=task.exception())
        os.kill(os.getpid(), signal.SIGTERM)


_LoadedEvent = tuple[int, int, protocol.EventState, Restrictions]


def _load_event(code: str) -> _LoadedEvent | None:
    with transaction.atomic():
        event = Event.objects.filter(code=code).first()
        return (
            (event.pk, event.seq, load_snapshot(event), load_restrictions([event.pk])[event.pk])
            if event
            else None
        )
