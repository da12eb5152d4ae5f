"""The closing lease (distributed lock): one process at a time closes a turn.

It saves double work. Correctness does not depend on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redis.exceptions import LockError

LEASE_MS = 1_000


class ClosingLease:
    """The leases of all turns. Methods raise redis.RedisError while Redis is away."""

    def __init__(self, redis: Any) -> None:
        self._redis = redis

    @contextmanager
    def hold(self, turn_id: int) -> Iterator[None]:
        """Hold the lease of a turn. Raises redis.exceptions.LockError if another process holds it."""
        if not self.take(turn_id):
            raise LockError("another process is closing the turn")
        try:
            yield
        finally:
            self._redis.delete(_key(turn_id))

    def take(self, turn_id: int) -> bool:
        """Take the lease, for LEASE_MS after this call or the last `renew`. False if it is held."""
        return bool(self._redis.set(_key(turn_id), 1, nx=True, px=LEASE_MS))

    def renew(self, turn_id: int) -> None:
        self._redis.pexpire(_key(turn_id), LEASE_MS)

    def is_held(self, turn_id: int) -> bool:
        """Return whether any process holds the lease."""
        return bool(self._redis.exists(_key(turn_id)))


def _key(turn_id: int) -> str:
    return f"crowdgame:closing:{turn_id}"
