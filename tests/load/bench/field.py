"""The contenders under one server: a bare echo, the stock app and the product, started in the same way."""

import socket
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import compress

import msgspec

from crowdgame.server.laptop import stack as children
from crowdgame.server.laptop.network import LOOPBACK, free_port
from crowdgame.server.laptop.stack import Stack
from crowdgame.server.laptop.supervisor import Child, Supervisor
from tests.deploy.processes import wait_until
from tests.load.bench.connection import Connection, Contender
from tests.load.bench.machine import cores, pinned
from tests.load.bench.product import Product, make_product
from tests.server import running_server

ECHOED = b'{"type":"ballot.cast","turn":1,"epoch":1,"choice":4,"sequence":12}'
GATEWAY_COUNTS = {"crowdgame": 1, "two gateways": 2}


@dataclass(frozen=True, slots=True)
class Field:
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
            Contender("stock", stock, ports["stock"], "/ws/vote", _stock_vote, _is_stock_answer),
        )


def stock_reveal(reveal: bytes) -> bytes:
    """A message that makes the stock app broadcast the product's frame; compressed to fit into one."""
    return msgspec.json.encode({"type": "reveal", "packed": b64encode(compress(reveal)).decode()})


def _stock_vote(connection: Connection) -> bytes:
    connection.sequence += 1
    return b'{"type":"vote","turn":1,"choice":%d,"sequence":%d}' % (connection.choice, connection.sequence)


def _is_stock_answer(text: bytes) -> bool:
    return text.startswith(b'{"type": "counted"')


def _accepts(port: int) -> bool:
    with suppress(ConnectionRefusedError):
        socket.create_connection((LOOPBACK, port), timeout=1).close()
        return True
    return False
