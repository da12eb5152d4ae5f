"""The reference servers, started in the same way as the product's gateway."""

import socket
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from zlib import compress

import msgspec

from deploy.laptop import stack as children
from deploy.laptop.network import LOOPBACK, free_port
from deploy.laptop.stack import Stack
from deploy.laptop.supervisor import Child, Supervisor
from tests.load.bench.connection import Connection, frame
from tests.load.bench.contender import Contender

MODULES = {"echo": "tests.load.bench.echo", "stock": "tests.load.stock.asgi"}
LISTENS_WITHIN_S = 30.0
POLL_S = 0.1
ECHOED = frame(b'{"type":"ballot.cast","turn":1,"epoch":1,"choice":4,"sequence":12}')


@contextmanager
def running_references(server: str, home: Path) -> Iterator[tuple[Contender, Contender]]:
    """Run the bare echo and the stock app, which has its own in-memory Valkey."""
    stack = Stack(data=home, secret_key="of the stock app", port=0, valkey_port=free_port())
    valkey = children.valkey(stack)
    in_memory = replace(valkey, argv=[*valkey.argv, "--appendonly", "no"])
    ports = {name: free_port() for name in MODULES}
    env = {**stack.env, "DJANGO_SETTINGS_MODULE": "tests.load.stock.settings"}
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(in_memory)
        for name, port in ports.items():
            argv = [sys.executable, "-m", "tests.load.bench.serve", server, str(port), MODULES[name]]
            supervisor.start(Child(name, argv, env))
        for port in (stack.valkey_port, *ports.values()):
            _await_listener(port)
        yield (
            _contender(supervisor, "echo", ports["echo"], "/"),
            _contender(supervisor, "stock", ports["stock"], "/ws/vote"),
        )


def stock_reveal(reveal: bytes) -> bytes:
    """A message that makes the stock app broadcast the product's frame; compressed to fit into one."""
    return msgspec.json.encode({"type": "reveal", "packed": b64encode(compress(reveal)).decode()})


def _contender(supervisor: Supervisor, name: str, port: int, path: str) -> Contender:
    pid = supervisor.pid(name)
    assert pid is not None, f"the {name} server does not run"
    if name == "echo":
        return Contender(name, (pid,), port, path, lambda connection: ECHOED, lambda text: True)
    return Contender(name, (pid,), port, path, _stock_vote, _is_stock_answer)


def _stock_vote(connection: Connection) -> bytes:
    connection.sequence += 1
    return frame(
        b'{"type":"vote","turn":1,"choice":%d,"sequence":%d}' % (connection.choice, connection.sequence)
    )


def _is_stock_answer(text: bytes) -> bool:
    return text.startswith(b'{"type": "counted"')


def _await_listener(port: int) -> None:
    deadline = time.monotonic() + LISTENS_WITHIN_S
    while True:
        try:
            socket.create_connection((LOOPBACK, port), timeout=1).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(POLL_S)
        else:
            return
