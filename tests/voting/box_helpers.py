"""Turns in a real ballot box, and the calls of a gateway."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from redis import Redis

from voting.ballot_box.async_ballot_box import AsyncBallotBox
from voting.ballot_box.ballot_box import NOTHING, BallotBox
from voting.ballot_box.box_types import (
    BoxedTurn,
    BoxLost,
    Prefetched,
    PresenceCounts,
    Sealed,
    TooEarly,
    Turnout,
)
from voting.counting.ballots import Ballot

T = TypeVar("T")
EVENT, TURN = 7, 70
HOUR_MS = 3_600_000
R1 = Ballot("v1", "red", 3, 1)
Y2 = Ballot("v2", "yellow", 4, 1)


@asynccontextmanager
async def gateway_box() -> AsyncIterator[AsyncBallotBox]:
    """The box as a new gateway sees it."""
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


def cast(turn: BoxedTurn, *ballots: Ballot, epoch: int | None = None) -> list[int]:
    if not ballots:
        return []
    return ask(lambda box: box.cast(turn.event_id, turn.turn_id, epoch or turn.epoch, ballots)).answers


def heartbeat(turn_id: int = TURN, gateway: str = "a", waiting: int = 0, **held: Any) -> Turnout:
    return ask(
        lambda box: box.heartbeat(EVENT, gateway, (turn_id, 1), PresenceCounts(waiting=(waiting, 0), **held))
    )


def running(box: BallotBox, version: int = 1, epoch: int = 1) -> BoxedTurn:
    """A turn with an open window that is not in the box yet."""
    now = box.now()
    return BoxedTurn(EVENT, TURN, version, epoch, now - 1_000, now + HOUR_MS)


def over(turn: BoxedTurn, box: BallotBox) -> BoxedTurn:
    """The turn in its next version, which is at its deadline, placed in the box."""
    later = replace(turn, version=turn.version + 1, closes_at=box.now())
    assert box.place(later, create=True)
    return later


def seal(box: BallotBox, turn: BoxedTurn, prefetched: Prefetched = NOTHING) -> TooEarly | BoxLost | Sealed:
    return box.seal_all([turn], prefetched)[turn.turn_id]


def sealed(turn: BoxedTurn, box: BallotBox, prefetched: Prefetched = NOTHING) -> tuple[Ballot, ...]:
    answer = seal(box, turn, prefetched)
    assert isinstance(answer, Sealed)
    return answer.ballots


def voted() -> tuple[int, int]:
    turnout = heartbeat()
    return turnout.red, turnout.yellow


def with_arrival(ballot: Ballot, arrival: int) -> Ballot:
    return Ballot(ballot.voter, ballot.side, ballot.choice, ballot.sequence, arrival)


def queued_tasks(url: str, queue: str = "celery") -> list[bytes]:
    """The Celery messages that wait for a worker, by default those that close turns. The newest is first."""
    with Redis.from_url(url) as redis:
        return list(redis.lrange(f"crowdgame:celery:{queue}", 0, -1))
