"""When each room has its heartbeat: once per HEARTBEAT_S, spread over HEARTBEAT_SLOTS."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import count

from redis import RedisError

from voting.gateway.event_room import EventRoom
from voting.gateway.presence import Presence
from voting.metrics.metrics import LOOP_LAG_S

log = logging.getLogger(__name__)

HEARTBEAT_S, HEARTBEAT_SLOTS = 1.0, 10
SLOT_S = HEARTBEAT_S / HEARTBEAT_SLOTS
MOST_MISSED_SLOTS = 100
PHONES_EVERY_HEARTBEATS = 5
TEAMS_EVERY_HEARTBEATS = 2
DUELS_EVERY_HEARTBEATS = 2
MAX_LAG_S = 0.1  # if the event loop lags more, a heartbeat skips the phones' turnout and counts
IDLE_ROOM_TTL_S = 60.0


class Heartbeats:
    """The heartbeats of all rooms of a gateway. A room without sockets is closed after IDLE_ROOM_TTL_S."""

    def __init__(
        self,
        rooms: Mapping[str, EventRoom],
        presence: Presence,
        close_room: Callable[[str, EventRoom], Awaitable[None]],
    ) -> None:
        self._rooms = rooms
        self._presence = presence
        self._close_room = close_room
        self._in_flight: set[str] = set()

    async def run(self) -> None:
        """Start the heartbeats that are due, until cancelled. The spread avoids bursts at the ballot box.

        Each heartbeat is a task of its own: a ballot box that does not answer delays no other room, and a
        room has at most one heartbeat in flight.
        """
        async with asyncio.TaskGroup() as tasks:
            for number in count():
                for slot in range(HEARTBEAT_SLOTS):
                    late_s = await _sleep_for_slot()
                    phones = number % PHONES_EVERY_HEARTBEATS == 0 and late_s < MAX_LAG_S
                    teams = number % TEAMS_EVERY_HEARTBEATS == 0 and late_s < MAX_LAG_S
                    for code, room in self._due_rooms(number, slot):
                        self._in_flight.add(code)
                        tasks.create_task(self._send(code, room, phones=phones, teams=teams))

    def _due_rooms(self, number: int, slot: int) -> list[tuple[str, EventRoom]]:
        """The rooms of this slot with no heartbeat in flight. Duels have one every DUELS_EVERY_HEARTBEATS."""
        return [
            (code, room)
            for code, room in self._rooms.items()
            if room.event_id % HEARTBEAT_SLOTS == slot
            and (not room.is_one_on_one or number % DUELS_EVERY_HEARTBEATS == 0)
            and code not in self._in_flight
        ]

    async def _send(self, code: str, room: EventRoom, *, phones: bool, teams: bool) -> None:
        try:
            if room.sockets.is_empty and time.monotonic() - room.asked_at > IDLE_ROOM_TTL_S:
                await self._close_room(code, room)
            else:
                await self._presence.send_updates(room, phones=phones, teams=teams)
        except (RedisError, OSError) as error:
            log.warning("heartbeat failed: %s", error, extra={"event": room.event_id})
        finally:
            self._in_flight.discard(code)


async def _sleep_for_slot() -> float:
    """Wait for the next slot. Returns by how many seconds the event loop was late.

    The delay is observed for each missed slot too. Otherwise an overloaded gateway, which has few heartbeats,
    would hardly count beside idle ones.
    """
    due = time.monotonic() + SLOT_S
    await asyncio.sleep(SLOT_S)
    late_s = max(0.0, time.monotonic() - due)
    for _ in range(1 + min(int(late_s / SLOT_S), MOST_MISSED_SLOTS)):
        LOOP_LAG_S.observe(late_s)
    return late_s
