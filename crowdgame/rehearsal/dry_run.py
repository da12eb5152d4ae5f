"""A dry run: the simulated crowd in this process, and the lease that makes it the event's only one."""

import asyncio
import logging
import secrets
import time
from contextlib import suppress
from random import Random

from channels.db import database_sync_to_async
from django.db import DatabaseError
from django.utils.translation import gettext as _
from redis import RedisError

from crowdgame.rehearsal.address import ServerAddress
from crowdgame.rehearsal.context import RehearsalContext
from crowdgame.rehearsal.crowd import Crowd, CrowdPlan, CrowdProgress, RehearsalError
from crowdgame.rehearsal.crowd_ledger import RehearsalLedger
from crowdgame.rehearsal.dry_run_lease import DryRunContext, LeaseAnswer
from crowdgame.rehearsal.join_keys import KeySource
from crowdgame.rehearsal.samples import Samples
from crowdgame.rehearsal.server_clock import ServerClock
from voting.matches import MatchError
from voting.models import Match
from voting.protocol import RehearsalUpdated
from voting.terms import MatchState

log = logging.getLogger(__name__)

MAX_DURATION_S = 30 * 60.0
RENEWED_EVERY_S = 0.95
JOINS_PER_SECOND = 50.0
MAX_TURNS_KEPT = 50


class DryRun:
    """A dry run of `phones` phones, in this process."""

    def __init__(self, stage: DryRunContext, address: ServerAddress, phones: int) -> None:
        self._stage = stage
        self._name = secrets.token_hex(4)
        self._phones = phones
        self._context = RehearsalContext(
            code=stage.code,
            address=address,
            profile="spread",
            clock=ServerClock(time.perf_counter),
            ledger=RehearsalLedger(MAX_TURNS_KEPT),
            rng=Random(),  # noqa: S311
            find_key=KeySource(now=stage.now),
        )
        self._crowd = Crowd(CrowdPlan(phones, JOINS_PER_SECOND), self._context, self._watch)
        self._began = time.monotonic()
        self._connected = 0
        self._compared = 0
        self._missing = 0
        self._marked: int | None = None

    async def take_lease(self) -> None:
        """Take the event's lease.

        Raises MatchError if another dry run has it, redis.RedisError without Redis.
        """
        if await self._renew_lease(running=True) is LeaseAnswer.TAKEN:
            raise MatchError(_("A rehearsal is already running."))

    async def play(self) -> None:
        """Run the crowd to its end, and renew the lease every RENEWED_EVERY_S.

        Stops if the lease is lost or ends.
        """
        playing = asyncio.create_task(self._crowd.play())
        while not (await asyncio.wait([playing], timeout=RENEWED_EVERY_S))[0]:
            with suppress(DatabaseError, RedisError, OSError):  # the phones wait for them like all others
                await self._mark_match()
                if await self._renew_lease(running=True) is not LeaseAnswer.CONTINUE:
                    self._crowd.stop()
        try:
            playing.result()
        except RehearsalError as error:
            log.warning("rehearsal of %s failed: %s", self._context.code, error)
        finally:
            self._compare()
            with suppress(RedisError, OSError):  # the lease expires soon
                await self._renew_lease(running=False)

    async def _mark_match(self) -> None:
        """Mark the match that the crowd plays as rehearsed."""
        match = self._context.state.match if self._context.state else None
        if match and match.state == MatchState.PLAYING and match.id != self._marked:
            played = Match.objects.filter(pk=match.id)
            await database_sync_to_async(played.update, thread_sensitive=False)(rehearsed=True)
            self._marked = match.id

    def _watch(self, progress: CrowdProgress) -> None:
        self._connected = self._context.connected
        if self._stage.draining() or time.monotonic() - self._began > MAX_DURATION_S:
            self._crowd.stop()
        if self._compared != self._context.ledger.revealed:
            self._compare()

    def _compare(self) -> None:
        self._compared = self._context.ledger.revealed
        self._missing = self._context.ledger.count_missing(self._context.teams)

    async def _renew_lease(self, *, running: bool) -> LeaseAnswer:
        book = self._context.ledger
        update = RehearsalUpdated(
            phones=self._phones,
            connected=self._connected,
            sent=book.sent,
            acknowledged=book.acknowledged,
            lost=book.lost + self._missing,
            ack_p99_ms=_p99(book.ack_ms),
            reveal_p99_ms=_p99(book.reveal_ms),
            running=running,
        )
        return await self._stage.dry_run_lease.renew(self._stage.event_id, self._name, update)


def _p99(samples: Samples) -> int | None:
    spread = samples.spread()
    return max(0, round(spread.p99)) if spread else None
