"""Threads in which a gateway asks the database, apart from those that do an organizer's work."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from channels.db import DatabaseSyncToAsync

_threads = ThreadPoolExecutor(2, "gateway-database")
in_database: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_threads)

# Newcomers with tickets wait for the database without keeping anybody else from it.
_ticket_thread = ThreadPoolExecutor(1, "gateway-tickets")
in_ticket_thread: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_ticket_thread)
