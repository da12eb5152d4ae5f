"""The door of an event at one gateway: who may come in, in which order, and when the others come back.

Whoever comes while a call to the ballot box is in flight goes into the next one, players (they have a
seat) before newcomers. When more wait than can be let in soon, the next are told a moment to come back:
as late as the door, at the speed it is measured to have, needs for all who were told one before.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace

from django.conf import settings
from redis import RedisError

from voting.admission.seats import Seat, new_seat
from voting.ballot_box.ballot_box import AsyncBallotBox
from voting.counting.ballots import Ballot
from voting.gateway.event_room import Room
from voting.gateway.voters import Socket
from voting.protocol import MAX_RETRY_MS

JOINS_AT_ONCE = 100
WAITING_AT_LEAST = 1_000
NEWCOMERS_WAIT_S = 3.0
PLAYERS_WAIT_S = 8.0
FULL_RETRY_MS = 15_000
FIRST_SPEED = 1_500.0  # a first herd must not be sent away by too low a guess
WEIGHT = 0.1


class Crowded(Exception):
    """Not now: come back at a random moment within so many milliseconds."""

    def __init__(self, within_ms: int) -> None:
        self.within_ms = within_ms


class Pace:
    """How fast people are let in, as it is measured, and until when others were told to come."""

    def __init__(self) -> None:
        self._a_second = FIRST_SPEED
        self._appointed_until = 0.0

    def learn(self, a_second: float) -> None:
        self._a_second += WEIGHT * (a_second - self._a_second)

    def most_waiting(self, patience_s: float) -> float:
        return max(WAITING_AT_LEAST, self._a_second * patience_s)

    def within_ms(self, count: int) -> int:
        """How long so many take; never longer than a client may be told."""
        return min(int(count / self._a_second * 1000), MAX_RETRY_MS)

    def appointment(self, waiting: int) -> int:
        """On average a client comes at half the time it is told, so it is told twice as much.

        Whoever knocks early again and again moves the others' appointments no further than to the last one.
        """
        now = time.monotonic()
        let_in_all = now + waiting / self._a_second
        after_all = max(self._appointed_until, let_in_all) + 1 / self._a_second
        self._appointed_until = min(after_all, now + MAX_RETRY_MS / 2000)
        return int((self._appointed_until - now) * 2 * 1000)


@dataclass(frozen=True, slots=True)
class Entry:
    """A voter who is let in, and the ballot held in the present turn (its id and epoch)."""

    seat: Seat
    occasion: tuple[int, int]
    ballot: Ballot | None


@dataclass(frozen=True, slots=True)
class _Comer:
    """One at the door; of a newcomer the `wish` for a team, or 0. One with a ticket has a seat with it."""

    seat: Seat | None
    wish: int | None
    entry: asyncio.Future[Entry] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Door:
    def __init__(self, room: Room, box: AsyncBallotBox) -> None:
        self._room = room
        self._box = box
        self._players: list[_Comer] = []
        self._newcomers: list[_Comer] = []
        self._pace = Pace()
        self._task: asyncio.Task[None] | None = None

    async def let_in(self, seat: Seat | None, wish: int | None) -> Entry:
        """Wait to be let in; with a wish, or without a seat, as a newcomer.

        Raises Crowded, redis.RedisError.
        """
        seated = len(self._room.phones) - len(self._room.strangers)
        if seated + self._waiting >= settings.EVENT_PHONES:
            raise Crowded(FULL_RETRY_MS)
        comer = _Comer(seat, wish or 0 if seat is None else wish)
        queue, patience_s = (
            (self._players, PLAYERS_WAIT_S) if comer.wish is None else (self._newcomers, NEWCOMERS_WAIT_S)
        )
        if len(queue) >= self._pace.most_waiting(patience_s):
            raise Crowded(self._pace.appointment(self._waiting))
        queue.append(comer)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._let_all_in())
        return await comer.entry

    def check_stranger(self, socket: Socket) -> None:
        """Whether somebody may wait without a seat: as many as may play. Raises Crowded."""
        strangers = self._room.strangers
        if socket not in strangers and len(strangers) >= settings.EVENT_PHONES:
            raise Crowded(FULL_RETRY_MS)

    @property
    def _waiting(self) -> int:
        return len(self._players) + len(self._newcomers)

    def within_ms(self, count: int) -> int:
        """How long so many joins take."""
        return self._pace.within_ms(count)

    async def _let_all_in(self) -> None:
        while self._players or self._newcomers:
            began = time.monotonic()
            comers = self._next()
            try:
                entries = await self._entries(comers)
            except (RedisError, OSError) as trouble:
                for comer in comers:
                    _tell(comer, trouble)
                continue
            for comer, entry in zip(comers, entries, strict=True):
                _tell(comer, entry)
            await asyncio.sleep(0)  # they are welcomed
            if len(comers) == JOINS_AT_ONCE:
                self._pace.learn(JOINS_AT_ONCE / (time.monotonic() - began))

    def _next(self) -> list[_Comer]:
        comers: list[_Comer] = []
        for queue in (self._players, self._newcomers):
            some = JOINS_AT_ONCE - len(comers)
            comers += [comer for comer in queue[:some] if not comer.entry.done()]
            del queue[:some]
        return comers

    async def _entries(self, comers: list[_Comer]) -> list[Entry]:
        event_id, occasion = self._room.event_id, self._room.occasion
        wishes = [comer.wish for comer in comers if comer.wish is not None]
        teams = iter(await self._box.seats(event_id, wishes) if wishes else [])
        drawn = [0 if comer.wish is None else next(teams) for comer in comers]
        seats = [_seat(comer, event_id, team) for comer, team in zip(comers, drawn, strict=True)]
        players = [comer.seat.voter for comer in comers if comer.seat is not None]
        held = await self._box.ballots_of(event_id, occasion[0], players) if players else {}
        return [Entry(seat, occasion, held.get(seat.voter)) for seat in seats]


def _seat(comer: _Comer, event_id: int, team: int) -> Seat:
    """Who has one keeps it; who was offered one has it in the team that was drawn."""
    if comer.seat is None:
        return new_seat(event_id, team)
    return comer.seat if comer.wish is None else replace(comer.seat, team=team)


def _tell(comer: _Comer, outcome: Entry | Exception) -> None:
    if comer.entry.done():  # it has left meanwhile
        return
    if isinstance(outcome, Entry):
        comer.entry.set_result(outcome)
    else:
        comer.entry.set_exception(outcome)
