"""This process's sockets, a room an event: a message is encoded once and written to all."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from games.engine.game import Side
from voting import protocol
from voting.fanout import Copy
from voting.seats import Seat

WRITES_AT_ONCE = 200


class Socket(Protocol):
    seat: Seat | None

    async def write(self, frame: str) -> None: ...


@dataclass(slots=True, eq=False)
class Room:
    """An event as this process knows it.

    `voted` are its voters here with a ballot in the present turn; `turnout` is the last frame of it,
    `told_phones` the last one that phones were told; for `unanimous_beats` everybody connected anywhere has
    voted; `asked_at` is when somebody last came.
    """

    event_id: int
    seq: int
    state: protocol.EventState
    sockets: set[Socket] = field(default_factory=set)
    voted: set[str] = field(default_factory=set)
    turnout: str = ""
    told_phones: str = ""
    unanimous_beats: int = 0
    asked_at: float = field(default_factory=time.monotonic)
    applying: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def turn(self) -> protocol.Turn | None:
        return self.state.match.turn if self.state.match else None

    def team_of(self, side: Side) -> int:
        match = self.state.match
        return 1 if match is None else getattr(match, side)

    def voters(self) -> dict[str, int]:
        """The voters connected here, and their teams."""
        return {s.seat.voter: s.seat.team for s in self.sockets if s.seat is not None}

    def connected(self) -> tuple[int, int]:
        teams = Counter(self.voters().values())
        return teams[1], teams[2]

    def waiting(self) -> int:
        """How many voters here are to move and have not voted."""
        turn = self.turn
        if turn is None:
            return 0
        moving = {self.team_of(side) for side in turn.to_move}
        return sum(team in moving and voter not in self.voted for voter, team in self.voters().items())

    @property
    def occasion(self) -> tuple[int, int]:
        """The present turn's id and epoch."""
        return (self.turn.id, self.turn.epoch) if self.turn else (0, 0)

    def apply(self, copy: Copy) -> None:
        """Take over the state after a change."""
        before = self.occasion
        self.seq = copy.seq
        self.state = protocol.decode_change(copy.body).state
        self.unanimous_beats = 0
        if before != self.occasion:
            self.voted.clear()

    async def broadcast(self, frame: bytes) -> None:
        await write_to_all(self.sockets, frame.decode())

    async def tell_turnout(self, turnout: protocol.TurnoutCounted, *, phones: bool) -> None:
        """Tell what is new to the screens, and if `phones` is set to everybody."""
        frame = msgspec.json.encode(turnout).decode()
        if frame != self.turnout:
            self.turnout = frame
            await write_to_all([s for s in self.sockets if s.seat is None], frame)
        if phones and frame != self.told_phones:
            self.told_phones = frame
            await write_to_all([s for s in self.sockets if s.seat is not None], frame)


async def write_to_all(sockets: Iterable[Socket], frame: str) -> None:
    """Others get their turn in between, so that an ack does not wait for a broadcast."""
    for number, socket in enumerate(tuple(sockets), 1):
        await socket.write(frame)
        if number % WRITES_AT_ONCE == 0:
            await asyncio.sleep(0)
