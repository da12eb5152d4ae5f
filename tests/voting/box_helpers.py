"""Turns in a real ballot box, and the calls of a gateway."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from django.conf import settings
from redis import Redis

from voting.ballot_box import box_types
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import NOTHING, BallotBox
from voting.ballot_box.shards import Shard
from voting.counting.ballots import Ballot

T = TypeVar("T")
EVENT, TURN = 7, 70
HOUR_MS = 3_600_000
R1 = Ballot("v1", "red", 3, 1)
Y2 = Ballot("v2", "yellow", 4, 1)


@asynccontextmanager
async def gateway_box() -> AsyncIterator[AsyncBallotBox]:
    box = AsyncBallotBox()
    try:
        yield box
    finally:
        await box.close()


def ask(call: Callable[[AsyncBallotBox], Awaitable[T]]) -> T:
    async def scenario() -> T:
        async with gateway_box() as box:
            return await call(box)

    return asyncio.run(scenario())


def cast(turn: box_types.BoxedTurn, *ballots: Ballot, epoch: int | None = None) -> list[int]:
    async def cast_parts(box: AsyncBallotBox) -> list[int]:
        return await votes(box, replace(turn, epoch=epoch or turn.epoch), *ballots)

    return ask(cast_parts) if ballots else []


async def votes(box: AsyncBallotBox, turn: box_types.BoxedTurn, *ballots: Ballot) -> list[int]:
    """Cast through each shard's queue, as a gateway does."""
    answers = {}
    for part, own in turn.split(ballots):
        reply = await box.cast(turn.event_id, turn.turn_id, turn.epoch, own, part.shard)
        answers[part.shard] = iter(reply.answers)
    return [next(answers[Shard.of(ballot.voter, turn.shard.total)]) for ballot in ballots]


def heartbeat(
    turn_id: int = TURN, gateway: str = "a", waiting: int = 0, shards: int = 1, **held: Any
) -> box_types.Turnout:
    counts = box_types.PresenceCounts(waiting=(waiting, 0), **held)
    return ask(lambda box: box.heartbeat(EVENT, gateway, (turn_id, 1), counts, shards))


def running(box: BallotBox, shards: int = 1) -> box_types.BoxedTurn:
    """A turn with an open window that is not in the box yet."""
    now = box.now()
    return box_types.BoxedTurn(EVENT, TURN, 1, 1, now - 1_000, now + HOUR_MS, shard=Shard(0, shards))


def over(turn: box_types.BoxedTurn, box: BallotBox) -> box_types.BoxedTurn:
    """The turn in its next version, which is at its deadline, placed in the box."""
    later = replace(turn, version=turn.version + 1, closes_at=box.now())
    assert box.place(later, create=True)
    return later


def seal(
    box: BallotBox, turn: box_types.BoxedTurn, prefetched: box_types.Prefetched = NOTHING
) -> box_types.TooEarly | box_types.BoxLost | box_types.Sealed:
    return box.seal_all([turn], prefetched)[turn.turn_id]


def sealed(
    turn: box_types.BoxedTurn, box: BallotBox, prefetched: box_types.Prefetched = NOTHING
) -> tuple[Ballot, ...]:
    answer = seal(box, turn, prefetched)
    assert isinstance(answer, box_types.Sealed)
    return answer.ballots


def voted(shards: int = 1) -> tuple[int, int]:
    turnout = heartbeat(shards=shards)
    return turnout.red, turnout.yellow


def numbered(ballots: Sequence[Ballot], shards: int) -> tuple[Ballot, ...]:
    """The ballots, with arrivals from 1 on if they are of several shards, which number them by time."""
    if shards == 1:
        return tuple(ballots)
    return tuple(with_arrival(ballot, arrival) for arrival, ballot in enumerate(ballots, 1))


def with_arrival(ballot: Ballot, arrival: int) -> Ballot:
    return Ballot(ballot.voter, ballot.side, ballot.choice, ballot.sequence, arrival)


def queued_tasks(url: str, queue: str = "celery") -> list[bytes]:
    """The Celery messages that wait for a worker, by default those that close turns. The newest is first."""
    with Redis.from_url(url) as redis:
        return list(redis.lrange(f"crowdgame:celery:{queue}", 0, -1))


Copied = dict[bytes, bytes]


def copy_all() -> Copied:
    with Redis.from_url(settings.REDIS_URL) as redis:
        return {key: redis.dump(key) for key in redis.keys("crowdgame:*")}


def put_back(copy: Copied) -> None:
    """Replace all data by the copy, as after a failover to a stale replica or a restore from an old file."""
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushall()
        for key, value in copy.items():
            redis.restore(key, 0, value)


def empty() -> None:
    put_back({})


def delete(*keys: str) -> None:
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.delete(*keys)


class CountingBox(AsyncBallotBox):
    def __init__(self) -> None:
        self.called: list[str] = []
        super().__init__()

    def script(self, name: str) -> Any:
        call = super().script(name)

        async def counted(**how: Any) -> Any:
            self.called.append(name)
            return await call(**how)

        return counted
