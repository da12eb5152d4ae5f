"""Whether this gateway is ready for phones: each thing it cannot do without answers within a moment."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from crowdgame.config.database import is_full
from voting.announcements import layer
from voting.ballot_box.ballot_box import AsyncBallotBox

PATIENCE_S = 1.0
FRESH_S = 1.0

ANSWERS = "answers"
TOO_SLOW = "does not answer in time"


class NotReady(Exception):
    """What is missing, in words fit to be shown to anybody."""


@dataclass(slots=True, eq=False)
class Part:
    """Something a gateway cannot do without.

    However many ask and however long it is stuck, one question to it is under way at most, and an answer
    is good for `FRESH_S`.
    """

    ask: Callable[[], Awaitable[None]]
    asked_at: float = 0.0
    question: asyncio.Future[None] | None = None

    async def answer(self) -> str:
        if self.question is None or self._is_stale(self.question):
            self.asked_at = time.monotonic()
            self.question = asyncio.ensure_future(self.ask())
        await asyncio.wait([self.question], timeout=PATIENCE_S)
        if not self.question.done():
            return TOO_SLOW
        error = self.question.exception()
        if error is None:
            return ANSWERS
        return str(error) if isinstance(error, NotReady) else "does not answer"

    def _is_stale(self, question: asyncio.Future[None]) -> bool:
        return question.done() and time.monotonic() - self.asked_at > FRESH_S


@dataclass(slots=True, eq=False)
class Readiness:
    """`draining`: this gateway sends its phones to others and wants no new ones.

    Once everything has answered it is ready until it drains: what all gateways share is away for all of
    them at once, and phones that find no gateway at all are worse off than those that wait at one.
    """

    draining: bool = False
    was_ready: bool = False
    _parts: dict[str, Part] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """As of the last look."""
        return self.was_ready and not self.draining

    async def check(self) -> dict[str, str]:
        """What each part says."""
        self._parts = self._parts or _all_parts()
        if self.draining:
            return {"gateway": "is draining"}
        answers = await asyncio.gather(*(part.answer() for part in self._parts.values()))
        self.was_ready = self.was_ready or all(said == ANSWERS for said in answers)
        return dict(zip(self._parts, answers, strict=True))


readiness = Readiness()


def _all_parts() -> dict[str, Part]:
    """Made on the event loop that will ask them."""
    database, box = Database(), AsyncBallotBox()

    async def ask_box() -> None:
        await box.now()

    return {
        "database": Part(database.ask),
        "ballot_box": Part(ask_box),
        "channel_layer": Part(layer.reach),
    }


class Database:
    """Asked in a thread of its own: a stuck database holds up no page and no other thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="readiness")
        self._migrated = False

    async def ask(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._check)

    def _check(self) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            self._migrated = self._migrated or _is_migrated()
        finally:
            connection.close()
        if not self._migrated:
            raise NotReady("is not migrated to what this version needs")
        if is_full(settings.DATABASES["default"]):
            raise NotReady("cannot write: its disk is full")


def _is_migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
