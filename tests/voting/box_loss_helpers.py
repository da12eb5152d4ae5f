"""Simulate the loss of a ballot box, or its restore from an older copy."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from redis import Redis

from tests.voting.box_helpers import cast, seal
from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, BoxLost, CastResult, PresenceCounts
from voting.counting.ballots import Ballot

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


async def votes(box: AsyncBallotBox, turn: BoxedTurn, *ballots: Ballot, epoch: int = 0) -> list[int]:
    return (await box.cast(turn.event_id, turn.turn_id, epoch or turn.epoch, ballots)).answers


async def send_heartbeat(box: AsyncBallotBox, turn: BoxedTurn) -> None:
    await box.heartbeat(turn.event_id, "a", (turn.turn_id, turn.epoch), PresenceCounts())


def with_gateways(count: int, scenario: Callable[..., Awaitable[Any]]) -> None:
    """Run a scenario with several clients of the box, each with its own memory of acknowledgements."""

    async def held() -> None:
        boxes = [AsyncBallotBox() for _ in range(count)]
        try:
            await scenario(*boxes)
        finally:
            for box in boxes:
                await box.close()

    asyncio.run(held())


def is_discarded(turn: BoxedTurn, box: BallotBox) -> bool:
    """Whether the box is discarded for every client, whatever epoch and version it knows."""
    at_its_end = replace(turn, version=turn.version + 1, closes_at=box.now())
    answers = cast(turn, Ballot("latecomer", "red", 1, 1)), bool(box.place(turn, create=False))
    lost = answers == ([CastResult.UNKNOWN], False)
    assert lost or answers == ([CastResult.OK], True)
    assert lost == (seal(box, at_its_end) == BoxLost())
    return lost
