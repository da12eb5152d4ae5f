"""The limit of open files: every process raises it, and a gateway refuses newcomers before files run out."""

import json
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from random import Random

import psutil
import pytest

from crowdgame.server.config.open_files import RESERVED_FILES
from crowdgame.server.laptop.network import LOOPBACK, free_port, wait_for_http
from crowdgame.server.laptop.stack import gateway
from crowdgame.server.laptop.supervisor import Supervisor
from tests.fuzz.wire import frame, handshake
from tests.server import Server
from tests.socket_clients import SocketClients
from voting.protocol import CloseCode

SOFT_LIMIT, HARD_LIMIT = 200, 400
SPARE_FILES = 40  # opened by the gateway itself
CROWDED = CloseCode.CROWDED.to_bytes(2, "big")
SHELL = f'ulimit -S -n {SOFT_LIMIT}; ulimit -H -n {HARD_LIMIT}; exec "$@"'


@pytest.fixture
def limited(server: Server) -> Iterator[Server]:
    """The stack as seen through one more gateway, which has the low limits."""
    stack = replace(server.stack, port=free_port())
    started = gateway(stack, port=stack.port)
    child = replace(started, name="limited", argv=["bash", "-c", SHELL, "limited", *started.argv])
    with Supervisor(stack.logs) as supervisor:
        supervisor.start(child)
        assert wait_for_http(LOOPBACK, stack.port, 60)
        yield replace(server, stack=stack, supervisor=supervisor)


@pytest.mark.nightly
def test_gateway_refuses_newcomers_before_files_run_out(limited: Server) -> None:
    with ExitStack() as stack:
        clients = SocketClients(limited, stack)
        event = limited.ask("event", lobby="open")
        limited.ask("begin", event_id=event["id"])
        turn = limited.ask("close_after", event_id=event["id"], ms=3_600_000)
        phone, _ = clients.phone(event["code"])
        admitted = [is_admitted(limited, event["code"], stack) for _ in range(HARD_LIMIT)]
        assert SOFT_LIMIT < admitted.count(True) < HARD_LIMIT
        process = psutil.Process(limited.supervisor.pid("limited"))
        assert process.num_fds() < HARD_LIMIT - RESERVED_FILES + SPARE_FILES
        assert clients.open("phone").closed() == CloseCode.CROWDED
        phone.say("ballot.cast", turn=turn, epoch=1, choice=1, sequence=1)
        phone.receive("ballot.counted", sequence=1)
        with urllib.request.urlopen(f"{limited.http}/play/") as page:  # noqa: S310
            assert page.status == 200
    assert f"capacity: {HARD_LIMIT - RESERVED_FILES} connections" in limited.log("limited")
    assert limited.log_errors("limited") == []


def test_processes_raise_their_limit_of_open_files(server: Server) -> None:
    hard = psutil.Process().rlimit(psutil.RLIMIT_NOFILE)[1]
    for name in ("gateway", "worker", "scheduler-1"):
        process = psutil.Process(server.supervisor.pid(name))
        assert process.rlimit(psutil.RLIMIT_NOFILE) == (hard, hard), name


def connect(server: Server, stack: ExitStack) -> socket.socket:
    return stack.enter_context(socket.create_connection((LOOPBACK, server.stack.port), timeout=10))


def is_admitted(server: Server, code: str, stack: ExitStack) -> bool:
    """Join as a phone that stays, unless the gateway closes its socket with CROWDED or resets it."""
    try:
        connection = connect(server, stack)
        admitted = join(connection, server, code)
    except (ConnectionResetError, BrokenPipeError):  # fewer than ABORT_RESERVE files are left
        return False
    if not admitted:
        connection.close()
    return admitted


def join(connection: socket.socket, server: Server, code: str) -> bool:
    """Send a phone's handshake and its first message. Returns whether it is welcomed."""
    connection.sendall(handshake("/ws/phone", server.stack.port))
    received = receive_until(connection, b"\r\n\r\n")
    connection.sendall(frame(json.dumps({"type": "phone.join", "code": code}).encode(), Random(0)))
    if CROWDED not in received:
        received += receive_until(connection, b"phone.welcomed", CROWDED)
    return b"phone.welcomed" in received


def receive_until(connection: socket.socket, *ends: bytes) -> bytes:
    """Receive until one of `ends` has arrived, or the connection ends."""
    received = b""
    while not any(end in received for end in ends) and (more := connection.recv(65_536)):
        received += more
    return received
