"""Password hashing, one at a time in each process, so that logins do not slow down voting."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock, local

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection

from crowdgame.server.web.errors import ServerBusy

MAX_WAITING = 8  # a hash takes about 0.3 s
LOWER_BY = 10  # in nice values

_places = BoundedSemaphore(1 + MAX_WAITING)
_hashing = Lock()
_thread = local()


@contextmanager
def hashing_turn() -> Iterator[None]:
    """Wait until no other thread hashes a password. Nested calls have their turn already.

    No database connection is kept while waiting. A thread in a transaction does not wait, because it may
    hold locks. Raises ServerBusy instead of waiting, or if MAX_WAITING threads wait.
    """
    if getattr(_thread, "has_turn", False):
        yield
        return
    release_connection()
    if not _places.acquire(blocking=False):
        raise ServerBusy
    try:
        if not _hashing.acquire(blocking=not connection.in_atomic_block):
            raise ServerBusy
        _thread.has_turn = True
        try:
            yield
        finally:
            _thread.has_turn = False
            _hashing.release()
    finally:
        _places.release()


def release_connection() -> None:
    """Return the thread's database connection to the pool, unless it is in a transaction."""
    if not connection.in_atomic_block:
        connection.close()


def lower_priority() -> None:
    """Let the event loop have the processor first, on Linux, where each thread has a priority.

    A request's thread ends with the request. The main thread, as in a command, keeps its priority.
    """
    is_own = threading.current_thread() is not threading.main_thread()
    if sys.platform == "linux" and is_own and not getattr(_thread, "is_lowered", False):
        _thread.is_lowered = True
        number = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, number, os.getpriority(os.PRIO_PROCESS, number) + LOWER_BY)


class LimitedPBKDF2Hasher(PBKDF2PasswordHasher):
    """Django's default password hasher, one hash at a time. Raises ServerBusy."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with hashing_turn():
            release_connection()
            lower_priority()
            return super().encode(password, salt, iterations)
