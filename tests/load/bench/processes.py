"""The processes of a running stack, by name."""

from tests.load.bench.machine import with_children
from tests.server import House

BEHIND = ("valkey", "worker", "scheduler-1", "scheduler-2")


def processes(house: House) -> dict[str, tuple[int, ...]]:
    """Each child of the supervisor, with its own child processes."""
    return {name: with_children(_pid(house, name)) for name in (*house.stack.gateway_names, *BEHIND)}


def gateways(house: House) -> tuple[int, ...]:
    return tuple(_pid(house, name) for name in house.stack.gateway_names)


def behind(house: House) -> tuple[int, ...]:
    return tuple(pid for name in BEHIND for pid in with_children(_pid(house, name)))


def _pid(house: House, name: str) -> int:
    pid = house.supervisor.pid(name)
    assert pid is not None, f"{name} does not run"
    return pid
