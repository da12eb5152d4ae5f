"""The processes of a running stack, by name."""

from tests.load.bench.machine import with_children
from tests.server import Server

DEPENDENCIES = ("valkey", "worker", "scheduler-1", "scheduler-2")


def processes(server: Server) -> dict[str, tuple[int, ...]]:
    """Each child of the supervisor, with its own child processes."""
    return {name: with_children(_pid(server, name)) for name in (*server.stack.gateway_names, *DEPENDENCIES)}


def gateways(server: Server) -> tuple[int, ...]:
    return tuple(_pid(server, name) for name in server.stack.gateway_names)


def dependencies(server: Server) -> tuple[int, ...]:
    return tuple(pid for name in DEPENDENCIES for pid in with_children(_pid(server, name)))


def _pid(server: Server, name: str) -> int:
    pid = server.supervisor.pid(name)
    assert pid is not None, f"{name} does not run"
    return pid
