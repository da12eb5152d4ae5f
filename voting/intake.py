"""Ballots of this process, gathered into one script call at a time.

While a call is in flight, all ballots that come go into the next one: no timer, and the batch is
as large as the load makes it. When Redis is away, ballots wait and are sent again.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import islice

from django.db import OperationalError
from redis import RedisError

from voting.ballot_box import MAX_BATCH, AsyncBallotBox, Cast
from voting.ballots import Ballot

log = logging.getLogger(__name__)

RETRY_S = 0.25
MAX_WAITING = 50_000

Answer = Callable[[int], Awaitable[None]]
Store = Callable[[int, list[Ballot]], Awaitable[None]]
Waiting = dict[tuple[str, int], tuple[Ballot, Answer]]


@dataclass(frozen=True, slots=True)
class Slot:
    """Where ballots go: a turn of an event; `stored` ones are in the database before they count."""

    event_id: int
    turn_id: int
    epoch: int
    stored: bool


@dataclass(slots=True)
class Lane:
    waiting: Waiting = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    held_up: bool = False


class Intake:
    """`store` writes ballots to the database."""

    def __init__(self, box: AsyncBallotBox, store: Store) -> None:
        self._box = box
        self._store = store
        self._lanes: dict[Slot, Lane] = {}

    async def take(self, slot: Slot, ballot: Ballot, answer: Answer) -> None:
        """`answer` is awaited with the box's answer, once the ballot is recorded or refused."""
        lane = self._lanes.setdefault(slot, Lane())
        if len(lane.waiting) >= MAX_WAITING:
            await answer(Cast.BUSY)
            return
        lane.waiting[ballot.voter, ballot.sequence] = (ballot, answer)
        if lane.task is None or lane.task.done():
            lane.task = asyncio.create_task(self._empty(slot, lane))

    async def _empty(self, slot: Slot, lane: Lane) -> None:
        while lane.waiting:
            batch = dict(islice(lane.waiting.items(), MAX_BATCH))
            for key in batch:
                del lane.waiting[key]
            try:
                answers = await self._record(slot, [ballot for ballot, _ in batch.values()])
            except (RedisError, OSError, OperationalError) as trouble:
                if not lane.held_up:
                    log.warning("ballots wait: %s", trouble)
                lane.held_up = True
                lane.waiting = batch | lane.waiting
                await asyncio.sleep(RETRY_S)
                continue
            lane.held_up = False
            for (_, answer), code in zip(batch.values(), answers, strict=True):
                await answer(code)
        del self._lanes[slot]

    async def _record(self, slot: Slot, ballots: list[Ballot]) -> list[int]:
        answers = await self._box.cast(slot.event_id, slot.turn_id, slot.epoch, ballots)
        if slot.stored:
            held = zip(ballots, answers, strict=True)
            await self._store(slot.turn_id, [b for b, code in held if code in (Cast.OK, Cast.DUP)])
        return answers
