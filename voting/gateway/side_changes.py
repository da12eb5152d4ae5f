"""Where phones change over to the other side: written down in the database first, then told.

Who asks while a transaction is under way goes into the next one. Nobody hears of it but the sockets of the
voter.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Protocol

import msgspec

from voting import protocol
from voting.ballot_box.stores import DATABASE_AWAY
from voting.counting.sides import Crossing
from voting.gateway.event_room import Room
from voting.gateway.voters import Voter
from voting.turns.side_changes import Answer, Wish, change_sides, crossings_after

log = logging.getLogger(__name__)

CHANGES_AT_ONCE = 200
MOST_WAITING = 20_000

# Has a function called in a thread that may use the database.
InDatabase = Callable[[Callable[..., Any]], Callable[..., Awaitable[Any]]]


class Asker(Protocol):
    def tell(self, message: msgspec.Struct) -> None: ...


class SideDesk:
    """Of one event at one gateway; `now` is the ballot box's time."""

    def __init__(self, room: Room, in_database: InDatabase, now: Callable[[], int]) -> None:
        self._room = room
        self._in_database = in_database
        self._now = now
        self._waiting: list[tuple[Asker, Wish]] = []
        self._task: asyncio.Task[None] | None = None

    def take(self, asker: Asker, wish: Wish) -> None:
        match = self._room.state.match
        if match is None or not match.defections:
            _refuse(asker, wish, "not_offered")
        elif len(self._waiting) >= MOST_WAITING:
            _refuse(asker, wish, "busy")
        else:
            self._waiting.append((asker, wish))
            if self._task is None or self._task.done():
                self._task = asyncio.create_task(self._answer_all())

    async def _answer_all(self) -> None:
        while self._waiting:
            some, self._waiting = self._waiting[:CHANGES_AT_ONCE], self._waiting[CHANGES_AT_ONCE:]
            try:
                answers = await self._answers([wish for _, wish in some])
            except DATABASE_AWAY as trouble:
                log.warning("changes of side wait: %s", trouble, extra={"event": self._room.event_id})
                answers = ["busy"] * len(some)
            for (asker, wish), answer in zip(some, answers, strict=True):
                if answer != "changed":
                    _refuse(asker, wish, answer)
                else:
                    asker.tell(changes_told(self._room, wish.voter))

    async def _answers(self, wishes: list[Wish]) -> list[Answer]:
        """What was written is known here before anybody is told: raises DATABASE_AWAY."""
        room = self._room
        answers: list[Answer] = await self._in_database(change_sides)(room.event_id, wishes, self._now)
        if match := room.state.match:
            room.sides.begin(match.id)
            asked = room.sides.last
            last, crossings = await self._in_database(crossings_after)(match.id, asked)
            room.sides.advance(asked, last)
            tell_crossings(room, crossings)
        return answers


def _refuse(asker: Asker, wish: Wish, code: protocol.SideRefusal) -> None:
    asker.tell(protocol.SideRefused(number=wish.number, code=code))


def told_changes(room: Room, voter: Voter) -> tuple[protocol.SideTaken, ...]:
    """Of this voter in the present match."""
    return changes_told(room, voter.seat.voter).changes


def changes_told(room: Room, voter: str) -> protocol.SideChanged:
    match = room.state.match
    own = room.sides.of(voter) if match and match.id == room.sides.match else []
    changes = (protocol.SideTaken(turn=one.turn, team=room.team_of(one.side)) for one in own)
    return protocol.SideChanged(changes=tuple(changes))


def tell_crossings(room: Room, crossings: Iterable[Crossing]) -> None:
    """To the sockets of those voters who are here, if it is news."""
    for name in room.sides.learn(crossings):
        voter = room.voters.get(name)
        if voter:
            frame = msgspec.json.encode(changes_told(room, name)).decode()
            for socket in tuple(voter.sockets):
                socket.write(frame)
