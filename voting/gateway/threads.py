"""Threads in which a gateway asks the database, apart from those that do an organizer's work."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from channels.db import DatabaseSyncToAsync

_threads = ThreadPoolExecutor(2, "gateway-database")
in_database: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_threads)

# Who comes to talk waits for nobody's ballot, and no ballot for them.
_parlour_thread = ThreadPoolExecutor(1, "gateway-parlours")
in_the_parlour: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_parlour_thread)

# Newcomers with tickets wait for the database without keeping anybody else from it.
_desk_thread = ThreadPoolExecutor(1, "gateway-tickets")
at_the_desk: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_desk_thread)
