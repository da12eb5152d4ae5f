"""Thread pools for a gateway's database queries, apart from the threads that run organizers' requests."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from channels.db import DatabaseSyncToAsync

_threads = ThreadPoolExecutor(2, "gateway-database")
in_database: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_threads)

# Ticket claims have a thread of their own, so that a queue of new voters delays no other query.
_ticket_thread = ThreadPoolExecutor(1, "gateway-tickets")
in_ticket_thread: Any = partial(DatabaseSyncToAsync, thread_sensitive=False, executor=_ticket_thread)
