"""The closing lease: one process at a time closes a turn."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from redis.exceptions import LockError

from voting.ballot_box.stores import execute_all

LEASE_MS = 1_000
BALLOTS_PER_MS = 200  # a process that is sorting or writing this many renews the lease later


def _lease_key(turn_id: int) -> str:
    return f"crowdgame:closing:{turn_id}"


class ClosingLease:
    """The closing lease (distributed lock): one process at a time closes a turn.

    It saves double work. Correctness does not depend on it. Methods raise redis.RedisError while Redis is
    away.
    """

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
            self._redis.delete(_lease_key(turn_id))

    @contextmanager
    def hold_all(self, turn_ids: Sequence[int]) -> Iterator[list[int]]:
        """Hold the leases of those of the turns that no other process holds; yields their ids."""
        commands = [("SET", _lease_key(turn_id), 1, "NX", "PX", LEASE_MS) for turn_id in turn_ids]
        answers = execute_all(self._redis, commands)
        held = [turn_id for turn_id, answer in zip(turn_ids, answers, strict=True) if answer is True]
        try:
            yield held
        finally:
            execute_all(self._redis, [("DEL", _lease_key(turn_id)) for turn_id in held])

    def take(self, turn_id: int) -> bool:
        """Take the lease, for LEASE_MS after this call or the last `renew`. False if it is held."""
        return bool(self._redis.set(_lease_key(turn_id), 1, nx=True, px=LEASE_MS))

    def renew(self, *turn_ids: int, ballots: int = 0) -> None:
        """Keep the leases for longer: for LEASE_MS, and the time that so many ballots take."""
        lease_ms = LEASE_MS + ballots // BALLOTS_PER_MS
        execute_all(self._redis, [("PEXPIRE", _lease_key(turn_id), lease_ms) for turn_id in turn_ids])

    def is_held(self, turn_id: int) -> bool:
        """Return whether any process holds the lease."""
        return bool(self._redis.exists(_lease_key(turn_id)))
