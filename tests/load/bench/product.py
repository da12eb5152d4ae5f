"""The product as a contender: a complete stack, a live event and seated phones that vote."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import msgspec
import redis

from tests.load.bench.connection import Connection, Contender, open_connection
from tests.load.bench.machine import DEPENDENCIES, gateways, processes
from tests.server import Server
from voting.ballot_box.box_types import turn_keys
from voting.protocol import ConsoleJoin, Match, PhoneJoin, PhoneWelcomed

JOINING_AT_ONCE = 50
JOINED_WITHIN_S = 30.0
NOT_STORED_S = 600
PLAYED = [(1, 2), (4, 5)]


@dataclass
class Product:
    """`refused` counts refused ballots; it should stay 0."""

    name: str
    server: Server
    event_id: int
    code: str
    turn: int = 0
    epoch: int = 0
    refused: int = 0
    pending_welcomes: dict[Connection, asyncio.Future[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.contender = Contender(
            self.name,
            gateways(self.server),
            self.server.stack.port,
            "/ws/phone",
            self.vote,
            self.is_answer,
            tuple(pid for name in DEPENDENCIES for pid in processes(self.server)[name]),
        )

    async def join(self, count: int) -> None:
        """Join this many more phones."""
        for joined in range(0, count, JOINING_AT_ONCE):
            await self._join_some(min(JOINING_AT_ONCE, count - joined))

    async def _join_some(self, count: int) -> None:
        self.contender.on_frame = self._welcome
        connections = await self.contender.open(count)
        loop = asyncio.get_running_loop()
        self.pending_welcomes = {connection: loop.create_future() for connection in connections}
        for connection in connections:
            connection.say(msgspec.json.encode(PhoneJoin(code=self.code)))
        async with asyncio.timeout(JOINED_WITHIN_S):
            welcomes = await asyncio.gather(*self.pending_welcomes.values())
        for connection, welcome in zip(connections, welcomes, strict=True):
            self._seat(connection, msgspec.json.decode(welcome, type=PhoneWelcomed))

    def _welcome(self, connection: Connection, text: bytes) -> None:
        if text.startswith(b'{"type":"phone.welcomed"'):
            self.pending_welcomes[connection].set_result(text)

    def _seat(self, connection: Connection, welcomed: PhoneWelcomed) -> None:
        match = welcomed.state.match
        assert match is not None
        assert match.turn is not None
        self.turn, self.epoch = match.turn.id, match.turn.epoch
        connection.choice = _legal(match, welcomed.you.team)[0]

    def vote(self, connection: Connection) -> bytes:
        connection.sequence += 1
        values = (self.turn, self.epoch, connection.choice, connection.sequence)
        return b'{"type":"ballot.cast","turn":%d,"epoch":%d,"choice":%d,"sequence":%d}' % values

    def is_answer(self, text: bytes) -> bool:
        self.refused += text.startswith(b'{"type":"ballot.refused"')
        return text.startswith(b'{"type":"ballot.counted"')

    def check_ballots(self) -> None:
        """Assert that all acknowledged ballots are in the box, so the rate counts real ballots."""
        cast = sum(connection.sequence for connection in self.contender.connections)
        assert self.refused == 0, f"{self.refused} ballots were refused"
        assert self.recorded() == cast, f"the box has {self.recorded()} ballots of {cast}"

    def recorded(self) -> int:
        """The number of ballots the box received in this turn, including changed votes."""
        with redis.Redis.from_url(self.server.stack.redis) as client:
            answer: Any = client.hget(turn_keys(self.event_id, self.turn)[0], "arrivals")
        return int(answer or 0)


def make_product(name: str, server: Server) -> Product:
    """Create a live event with one reveal and a long open turn."""
    event = server.ask("event", owner="olga", window_s=NOT_STORED_S, pace="instant", lobby="open")
    server.ask("play_to", event_id=event["id"], picks=PLAYED)
    return Product(name, server, event["id"], event["code"])


def _legal(match: Match, team: int) -> tuple[int, ...]:
    assert match.turn is not None
    return match.turn.legal.red if match.red == team else match.turn.legal.yellow


async def open_console(product: Product) -> Connection:
    """Open the organizer's console, from which joining is locked and unlocked."""
    on_frame = asyncio.Event()
    headers = {"Cookie": product.server.ask("session", name="olga"), "Origin": product.server.http}
    port = product.server.stack.port
    connection = await open_connection(port, "/ws/console", lambda connection, text: on_frame.set(), headers)
    connection.say(msgspec.json.encode(ConsoleJoin(code=product.code)))
    async with asyncio.timeout(JOINED_WITHIN_S):
        await on_frame.wait()
    return connection


def send_action(console: Connection, action: str) -> None:
    console.sequence += 1
    console.say(msgspec.json.encode({"type": "action.ask", "id": console.sequence, "action": action}))
