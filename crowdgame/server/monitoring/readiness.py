"""Readiness of a gateway: database, ballot box and channel layer each answer within a second."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from crowdgame.server.config.database import is_disk_full
from voting.announcements import channel_layer
from voting.ballot_box.async_ballot_box import AsyncBallotBox

CHECK_TIMEOUT_S = 1.0
CHECK_TTL_S = 1.0

HEALTHY = "ok"
TIMED_OUT = "timed out"
UNAVAILABLE = "unavailable"


class NotReady(Exception):
    """A dependency isn't ready. The message is public."""


@dataclass(slots=True, eq=False)
class DependencyCheck:
    """A dependency that a gateway needs.

    At most one check runs at a time, however many requests wait and however long it hangs. Its result is
    cached for CHECK_TTL_S.
    """

    check: Callable[[], Awaitable[None]]
    timeout_s: float = CHECK_TIMEOUT_S
    checked_at: float = 0.0
    pending: asyncio.Future[None] | None = None

    async def status(self) -> str:
        if self.pending is None or self._is_stale(self.pending):
            self.checked_at = time.monotonic()
            self.pending = asyncio.ensure_future(self.check())
        await asyncio.wait([self.pending], timeout=self.timeout_s)
        if not self.pending.done():
            return TIMED_OUT
        error = self.pending.exception()
        if error is None:
            return HEALTHY
        return str(error) if isinstance(error, NotReady) else UNAVAILABLE

    def _is_stale(self, pending: asyncio.Future[None]) -> bool:
        return pending.done() and time.monotonic() - self.checked_at > CHECK_TTL_S


@dataclass(slots=True, eq=False)
class Readiness:
    """The gateway's readiness. `draining` means that it closes its connections and accepts no new ones.

    Once all dependencies have answered, the gateway stays ready until it drains. All gateways share these
    dependencies, so an outage affects all at once. Phones that find no gateway at all would be worse off than
    phones that wait at one.
    """

    timeout_s: float = CHECK_TIMEOUT_S
    draining: bool = False
    was_ready: bool = False
    _parts: dict[str, DependencyCheck] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """The result of the last check."""
        return self.was_ready and not self.draining

    async def check(self) -> dict[str, str]:
        """Check all dependencies concurrently and return their statuses by name."""
        self._parts = self._parts or _all_checks(self.timeout_s)
        if self.draining:
            return {"gateway": "draining"}
        statuses = await asyncio.gather(*(part.status() for part in self._parts.values()))
        self.was_ready = self.was_ready or all(status == HEALTHY for status in statuses)
        return dict(zip(self._parts, statuses, strict=True))


readiness = Readiness()


def _all_checks(timeout_s: float) -> dict[str, DependencyCheck]:
    """Create the checks. Call it on the event loop that will run them."""
    database, box = DatabaseCheck(), AsyncBallotBox()

    async def check_box() -> None:
        await box.now()

    return {
        "database": DependencyCheck(database.check, timeout_s),
        "ballot_box": DependencyCheck(check_box, timeout_s),
        "channel_layer": DependencyCheck(channel_layer.check_reachable, timeout_s),
    }


class DatabaseCheck:
    """Checks the database in a separate thread, so that a hanging database blocks nothing else."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="readiness")
        self._migrated = False

    async def check(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._check)

    def _check(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            self._migrated = self._migrated or _is_migrated()
        finally:
            connection.close()
        if not self._migrated:
            raise NotReady("migrations pending")
        if is_disk_full(settings.DATABASES["default"]):
            raise NotReady("read-only: the disk is full")


def _is_migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
