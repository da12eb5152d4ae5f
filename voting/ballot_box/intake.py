"""The intake batches this process's ballots: one script call at a time for each queue.

While a call is in flight, new ballots go into the next batch. Above QUIET_PER_S ballots a second, each batch
also waits for further ballots, longer at higher rates, up to MAX_PAUSE_S (adaptive batching), but not shortly
before the deadline. While Redis is away, ballots stay pending and are sent again.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.box_types import MAX_BATCH, CastResult, Storing
from voting.ballot_box.shards import ONE_SHARD, Shard
from voting.ballot_box.stores import DATABASE_ERRORS, STORE_ERRORS
from voting.counting.ballots import Ballot
from voting.metrics.metrics import ACK_S, BALLOTS, BATCH_SIZE, count_refusal

log = logging.getLogger(__name__)

RETRY_S = 0.25
MAX_PENDING = 50_000
ANSWERS_PER_ITERATION = 500
MAX_PAUSE_S = 0.025
QUIET_PER_S, BUSY_PER_S = 50.0, 300.0
RATE_WINDOW_S = 0.1
COUNTED_BALLOTS, REFUSED_BALLOTS = BALLOTS.labels("counted"), BALLOTS.labels("refused")

StoreBallots = Callable[[int, list[Ballot]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Slot:
    """The turn that ballots are for, and their shard."""

    event_id: int
    turn_id: int
    epoch: int
    shard: Shard = ONE_SHARD


class BallotSender(Protocol):
    """The client that sent a ballot."""

    def answer(self, slot: Slot, ballot: Ballot, code: int) -> None:
        """Receive the result once the ballot is recorded or refused.

        `code` is a `CastResult`, or minus the voter's higher sequence.
        """


PendingBallots = dict[tuple[str, int], tuple[Ballot, BallotSender, float]]
AnsweredBallots = deque[tuple[tuple[Ballot, BallotSender, float], int]]


class Intake:
    """Sends ballots to the box; `store` writes them to the database."""

    def __init__(self, box: AsyncBallotBox, store: StoreBallots) -> None:
        self._box = box
        self._store = store
        self._busy: set[asyncio.Task[None]] = set()

    def new_queue(self, slot: Slot) -> "BallotQueue":
        """Return a new queue of ballots for the slot."""
        return BallotQueue(slot, self)

    async def wait_until_empty(self) -> None:
        """Return once every ballot taken so far is answered and stored."""
        while self._busy:
            await asyncio.wait(self._busy)

    def start(self, queue: "BallotQueue") -> None:
        """Start a task that sends the queue's pending ballots until none are left."""
        self._run(self._drain(queue))

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def _drain(self, queue: "BallotQueue") -> None:
        try:
            while queue.waiting:
                if pause_s := queue.pause_s():
                    await asyncio.sleep(pause_s)
                await self._send_batch(queue)
        finally:
            queue.busy = False

    async def _send_batch(self, queue: "BallotQueue") -> None:
        batch = queue.take_batch()
        try:
            answers = await self._record(queue.slot, [ballot for ballot, _, _ in batch.values()])
        except STORE_ERRORS as error:
            queue.requeue(batch, error)
            await asyncio.sleep(RETRY_S)
            return
        queue.is_delayed = False
        _observe(batch, answers)
        answered = deque(zip(batch.values(), answers, strict=True))
        while answered:
            asyncio.get_running_loop().call_soon(_deliver_answers, queue.slot, answered)
            await asyncio.sleep(0)

    async def _record(self, slot: Slot, ballots: list[Ballot]) -> list[int]:
        answers, storing = await self._box.cast(slot.event_id, slot.turn_id, slot.epoch, ballots, slot.shard)
        if storing:
            held = zip(ballots, answers, strict=True)
            counted = [b for b, code in held if code in (CastResult.OK, CastResult.DUPLICATE)]
            await self._store_counted(slot.turn_id, counted, storing)
        return answers

    async def _store_counted(self, turn_id: int, counted: list[Ballot], storing: Storing) -> None:
        try:
            await self._store(turn_id, counted)
        except DATABASE_ERRORS as error:
            if storing == Storing.FIRST:
                raise
            log.warning("ballots acknowledged, to be stored later: %s", error, extra={"turn": turn_id})
            self._run(self._store_later(turn_id, counted))

    async def _store_later(self, turn_id: int, counted: list[Ballot]) -> None:
        is_stored = False
        while not is_stored:
            await asyncio.sleep(RETRY_S)
            with suppress(*DATABASE_ERRORS):
                await self._store(turn_id, counted)
                is_stored = True


class BallotQueue:
    """The pending ballots of one slot, with their arrival times."""

    __slots__ = (
        *("_closes_soon", "_counted_from", "_intake", "_rate", "_taken"),
        *("busy", "is_delayed", "slot", "waiting"),
    )

    def __init__(self, slot: Slot, intake: Intake) -> None:
        self.slot = slot
        self.waiting: PendingBallots = {}
        self.busy = self.is_delayed = self._closes_soon = False
        self._intake = intake
        self._rate, self._taken, self._counted_from = 0.0, 0, time.monotonic()

    def pause_s(self) -> float:
        """How long the next batch waits for more ballots, by the arrival rate of the last RATE_WINDOW_S."""
        elapsed = time.monotonic() - self._counted_from
        if elapsed >= RATE_WINDOW_S:
            self._rate, self._taken, self._counted_from = (
                self._taken / elapsed,
                0,
                self._counted_from + elapsed,
            )
        if self._closes_soon:
            return 0.0
        return MAX_PAUSE_S * min(1.0, max(0.0, self._rate - QUIET_PER_S) / (BUSY_PER_S - QUIET_PER_S))

    def add(self, ballot: Ballot, caster: BallotSender, *, closes_soon: bool = False) -> None:
        """Queue a ballot. Backpressure: answers BUSY at once if MAX_PENDING ballots are pending.

        With `closes_soon`, which is 2 * MAX_PAUSE_S before the deadline, batches don't wait.
        """
        waiting = self.waiting
        if len(waiting) >= MAX_PENDING:
            REFUSED_BALLOTS.inc()
            count_refusal("ballot")
            caster.answer(self.slot, ballot, CastResult.BUSY)
            return
        waiting[ballot.voter, ballot.sequence] = (ballot, caster, time.monotonic())
        self._taken += 1
        self._closes_soon = closes_soon
        if not self.busy:
            self.busy = True
            self._intake.start(self)

    def take_batch(self) -> PendingBallots:
        """Remove and return up to MAX_BATCH ballots, oldest first."""
        batch = self.waiting
        if len(batch) <= MAX_BATCH:
            self.waiting = {}
            return batch
        batch = dict(islice(self.waiting.items(), MAX_BATCH))
        for key in batch:
            del self.waiting[key]
        return batch

    def requeue(self, batch: PendingBallots, error: Exception) -> None:
        """Put a failed batch back in front of the pending ballots."""
        if not self.is_delayed:
            log.warning("could not store ballots, retrying: %s", error)
        self.is_delayed = True
        self.waiting = batch | self.waiting


def _deliver_answers(slot: Slot, answered: AnsweredBallots) -> None:
    """Deliver a slice of the answers. Runs as a callback of the event loop.

    If a caster raises, the loop logs it, and the next callback continues after that answer.
    """
    for _ in range(min(len(answered), ANSWERS_PER_ITERATION)):
        (ballot, caster, _), code = answered.popleft()
        caster.answer(slot, ballot, code)


def _observe(batch: PendingBallots, answers: list[int]) -> None:
    counted = answers.count(CastResult.OK) + answers.count(CastResult.DUPLICATE)
    COUNTED_BALLOTS.inc(counted)
    REFUSED_BALLOTS.inc(len(answers) - counted)
    BATCH_SIZE.observe(len(answers))
    _, _, since = next(iter(batch.values()))
    ACK_S.observe(time.monotonic() - since)
