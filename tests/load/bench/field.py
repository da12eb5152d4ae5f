"""The contenders under one server, started in the same way: a bare echo, the stock app and the product.

The product is a complete stack with a live event and seated phones that vote.
"""

import asyncio
import socket
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple
from zlib import compress

import msgspec
import redis

from crowdgame.server.laptop import stack as children
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.supervisor import Child, Supervisor
from tests.deploy.processes import wait_until
from tests.load.bench.connection import Connection, Contender, open_connection
from tests.load.bench.machine import DEPENDENCIES, cores, gateways, pinned, processes
from tests.server import Server, running_server
from voting.ballot_box.box_types import turn_keys
from voting.protocol import ConsoleJoin, PhoneJoin, PhoneWelcomed

JOINING_AT_ONCE = 50
JOINED_WITHIN_S = 30.0
NOT_STORED_S = 600
PLAYED = [(1, 2), (4, 5)]
COUNTED = b'{"type": "counted"'
ECHOED = b'{"type":"ballot.cast","turn":1,"epoch":1,"choice":4,"sequence":12}'
GATEWAY_COUNTS = {"crowdgame": 1, "two gateways": 2}


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
            welcomed = msgspec.json.decode(welcome, type=PhoneWelcomed)
            match = welcomed.state.match
            assert match is not None
            assert match.turn is not None
            self.turn, self.epoch, legal = match.turn.id, match.turn.epoch, match.turn.legal
            connection.choice = (legal.red if match.red == welcomed.you.team else legal.yellow)[0]

    def _welcome(self, connection: Connection, text: bytes) -> None:
        if text.startswith(b'{"type":"phone.welcomed"'):
            self.pending_welcomes[connection].set_result(text)

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
    event = server.ask("event", owner="olga", window_s=NOT_STORED_S, pace="instant", lobby="open")
    server.ask("play_to", event_id=event["id"], picks=PLAYED)
    return Product(name, server, event["id"], event["code"])


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


class Field(NamedTuple):
    """`products`: with one gateway, and optionally with two."""

    echo: Contender
    stock: Contender
    products: tuple[Product, ...]

    @property
    def product(self) -> Product:
        return self.products[0]

    @property
    def contenders(self) -> tuple[Contender, ...]:
        return self.echo, self.stock, *(product.contender for product in self.products)


@contextmanager
def running_field(asgi_server: str, pair: bool, home: Path) -> Iterator[Field]:
    """Run the servers on the first core; the load generator, stores and workers on the last one.

    The second of two gateways shares the last core: only its cost per ballot is measured, not its speed.
    """
    names = list(GATEWAY_COUNTS) if pair else ["crowdgame"]
    available = cores()
    with pinned(available[-1]), ExitStack() as running:
        echo, stock = running.enter_context(_running_references(asgi_server, home / "references"))
        servers = {
            name: running.enter_context(
                running_server(home / name.replace(" ", "-"), asgi_server, GATEWAY_COUNTS[name])
            )
            for name in names
        }
        field = Field(echo, stock, tuple(make_product(name, server) for name, server in servers.items()))
        for contender in field.contenders:
            contender.pin(available)
        yield field


@contextmanager
def _running_references(server: str, home: Path) -> Iterator[tuple[Contender, Contender]]:
    """Run the bare echo and the stock app, which has its own in-memory Valkey."""
    stack = Stack(data=home, secret_key="of the stock app", port=0, valkey_port=free_port())
    valkey = children.valkey(stack)
    in_memory = replace(valkey, argv=[*valkey.argv, "--appendonly", "no"])
    ports = {"echo": free_port(), "stock": free_port()}
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(in_memory)
        for name, port in ports.items():
            argv = [sys.executable, "-m", "tests.load.bench.serve", server, str(port), name]
            supervisor.start(Child(name, argv, stack.env))
        for port in (stack.valkey_port, *ports.values()):
            wait_until(lambda port=port: _accepts(port))  # type: ignore[misc]
        echo, stock = ((supervisor.pid(name) or 0,) for name in ports)
        yield (
            Contender("echo", echo, ports["echo"], "/", lambda _: ECHOED, lambda text: True),
            Contender("stock", stock, ports["stock"], "/ws/vote", _stock_vote, lambda text: COUNTED in text),
        )


def stock_reveal(reveal: bytes) -> bytes:
    """A message that makes the stock app broadcast the product's frame; compressed to fit into one."""
    return msgspec.json.encode({"type": "reveal", "packed": b64encode(compress(reveal)).decode()})


def _stock_vote(connection: Connection) -> bytes:
    connection.sequence += 1
    return b'{"type":"vote","turn":1,"choice":%d,"sequence":%d}' % (connection.choice, connection.sequence)


def _accepts(port: int) -> bool:
    with suppress(ConnectionRefusedError):
        socket.create_connection((LOOPBACK, port), timeout=1).close()
        return True
    return False
