"""A box that is lost, or comes back from an older copy: what was in it a moment ago is put back."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from django.conf import settings
from redis import Redis

from tests.voting.boxes import cast
from voting.ballot_box.ballot_box import AsyncBallotBox, BallotBox
from voting.ballot_box.types import BoxedTurn, Cast, Held, Lost
from voting.counting.ballots import Ballot

Copied = dict[bytes, bytes]


def copy_all() -> Copied:
    with Redis.from_url(settings.REDIS_URL) as redis:
        return {key: redis.dump(key) for key in redis.keys("crowdgame:*")}


def put_back(copy: Copied) -> None:
    """All that was done since is forgotten, as by a replica that takes over or an older file."""
    with Redis.from_url(settings.REDIS_URL) as redis:
        redis.flushall()
        for key, value in copy.items():
            redis.restore(key, 0, value)


def empty() -> None:
    put_back({})


async def votes(box: AsyncBallotBox, turn: BoxedTurn, *ballots: Ballot, epoch: int = 0) -> list[int]:
    return await box.cast(turn.event_id, turn.turn_id, epoch or turn.epoch, ballots)


async def send_heartbeat(box: AsyncBallotBox, turn: BoxedTurn) -> None:
    await box.heartbeat(turn.event_id, "a", (turn.turn_id, turn.epoch), Held())


def with_gateways(count: int, conversation: Callable[..., Awaitable[Any]]) -> None:
    """Each a client of the box with a memory of its own."""

    async def held() -> None:
        boxes = [AsyncBallotBox() for _ in range(count)]
        try:
            await conversation(*boxes)
        finally:
            for box in boxes:
                await box.close()

    asyncio.run(held())


def is_given_up(turn: BoxedTurn, box: BallotBox) -> bool:
    """For all that ask, whatever they know of it."""
    at_its_end = replace(turn, version=turn.version + 1, closes_at=box.now())
    answers = cast(turn, Ballot("latecomer", "red", 1, 1)), box.place(turn, create=False)
    lost = answers == ([Cast.UNKNOWN], False)
    assert lost or answers == ([Cast.OK], True)
    assert lost == (box.seal(at_its_end) == Lost())
    return lost
