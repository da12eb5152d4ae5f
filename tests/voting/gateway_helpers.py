"""Event rooms and gateways for tests, with sockets that record what is written to them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from django.db import connections

from games.engine.game import SIDES, Board
from voting import protocol
from voting.admission.seats import Seat
from voting.announcements.channel_layer import LayerMessage
from voting.announcements.outbox import announce_edit, announcements_after
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.intake import Intake
from voting.counting.ballots import Ballot
from voting.gateway.connections import CONNECTION, MessageHandler
from voting.gateway.event_room import EventRoom
from voting.gateway.gateway import Gateway
from voting.models import Event, Team
from voting.terms import HANDS, Lobby, MatchState, Pace, TeamChoice

T = TypeVar("T")


def read_texts(wire: bytes) -> list[str]:
    texts = []
    while wire:
        assert wire[0] == 0x81
        size, start = (wire[1], 2) if wire[1] < 126 else (int.from_bytes(wire[2:4], "big"), 4)
        texts.append(wire[start : start + size].decode())
        wire = wire[start + size :]
    return texts


@dataclass
class FakeConnection:
    texts: list[str] = field(default_factory=list)
    closed_with: int | None = None
    handler: MessageHandler | None = None
    descriptor: int = 0

    def attach(self, handler: MessageHandler) -> None:
        self.handler = handler

    def write(self, wire: bytes) -> None:
        if self.closed_with is None:
            self.texts += read_texts(wire)

    def close(self, code: int) -> None:
        self.closed_with = self.closed_with or code

    @property
    def scope(self) -> dict[str, Any]:
        return {"type": "websocket", "headers": [], "extensions": {CONNECTION: self}}


@dataclass(eq=False)
class FakeSocket:
    seat: Seat | None = None
    writes: list[list[str]] = field(default_factory=list)
    close_calls: list[tuple[int, int | None]] = field(default_factory=list)
    welcomed_again: int = 0
    ballots_shown: list[Ballot] = field(default_factory=list)

    def write(self, wire: bytes) -> None:
        self.writes.append(read_texts(wire))

    def end(self, code: int, within_ms: int | None = None) -> None:
        self.close_calls.append((code, within_ms))

    def welcome_again(self, ballot: Ballot | None = None) -> None:
        self.welcomed_again += 1
        self.ballots_shown += [ballot] if ballot else []

    def change_role(self, user_id: int) -> None:
        """Ignored: these sockets have no user."""

    @property
    def frames(self) -> list[str]:
        return [frame for frames in self.writes for frame in frames]

    @property
    def received(self) -> list[Any]:
        return [msgspec.json.decode(frame) for frame in self.frames]

    @property
    def seqs(self) -> list[int]:
        return [message["seq"] for message in self.received if "seq" in message]


def new_room(event_id: int, seq: int, state: protocol.EventState) -> EventRoom:
    """A room without a ballot box. Nobody joins through its queues."""
    nothing: Any = None
    return EventRoom(event_id, seq, state, Intake(nothing, nothing), nothing, nothing, lambda: 0)


def make_room(event_id: int, *sockets: FakeSocket) -> EventRoom:
    event = Event.objects.get(pk=event_id)
    room = new_room(event.pk, event.seq, load_snapshot(event))
    for socket in sockets:
        join_room(room, socket)
    return room


def join_room(room: EventRoom, socket: FakeSocket) -> None:
    if socket.seat is None:
        room.sockets.screens.add(socket)
    else:
        room.add_voter(socket, socket.seat)


def vote_by_hands(room: EventRoom, box: BallotBox, team: int = 2) -> None:
    Team.objects.filter(event=room.event_id, number=team).update(source=HANDS)
    announce_edit(room.event_id, box.now())
    room.apply(latest(room.event_id))


async def open_room(gateway: Gateway, code: str, *sockets: FakeSocket) -> EventRoom:
    room = await gateway.room(code)
    assert room is not None
    for socket in sockets:
        join_room(room, socket)
    return room


def cast(room: EventRoom, *names: str) -> None:
    for name in names:
        room.count_vote(room.voters[name], room.turn_ref)


def voter(name: str, team: int) -> FakeSocket:
    return FakeSocket(Seat(1, name, team))


def latest(event_id: int) -> LayerMessage:
    return announcements_after(event_id, Event.objects.get(pk=event_id).seq - 1)[0]


def playing(turn_id: int) -> protocol.EventState:
    turn = protocol.Turn(
        id=turn_id, number=1, opens_at=0, closes_at=1, epoch=1, paused=False, left_ms=0,
        to_move=SIDES, legal=protocol.Legal(red=(1, 2), yellow=(1, 2)),
    )  # fmt: skip
    match = protocol.Match(
        id=1, number=1, game="g", title="G", state=MatchState.PLAYING, red=1, yellow=2, result="open",
        ended_by=None, window_s=1, pace=Pace.INSTANT, close_early=False,
        board=Board(kind="columns", columns=7, rows=6), turn=turn, reveal=None,
    )  # fmt: skip
    return protocol.EventState(
        code="C", name="n", lobby=Lobby.OPEN, team_choice=TeamChoice.BALANCE, match=match,
        teams=(protocol.Team(number=1, name="a"), protocol.Team(number=2, name="b")),
        next_match_at=None, finished=(),
    )  # fmt: skip


@asynccontextmanager
async def open_gateway() -> AsyncIterator[Gateway]:
    gateway = Gateway()
    try:
        async with asyncio.timeout(20):
            yield gateway
    finally:
        await end(gateway._tasks)
        await gateway.box.close()
        await asyncio.to_thread(connections.close_all)


async def in_a_thread(action: Callable[[], T]) -> T:
    """Run a database action in a thread; close its connection afterwards."""

    def call() -> T:
        try:
            return action()
        finally:
            connections.close_all()

    return await asyncio.to_thread(call)


async def end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel repeatedly: a cancellation is lost if it meets a call in the database thread."""
    while not all(task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=0.2)


async def until(holds: Callable[[], object]) -> None:
    while not holds():  # noqa: ASYNC110  the condition has no event to wait for
        await asyncio.sleep(0.01)
