"""The ballot box: the only client of Redis for ballots, and the only clock.

Every script is idempotent, so a call whose answer was lost may be made again. All keys of an
event carry its id as hash tag and so live in one slot of a cluster.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from games.engine.game import Side
from voting.ballots import Ballot

MAX_BATCH = 2_000
JOINS_AT_ONCE = 32
KEPT_AFTER_MS = 3600 * 1000
GATEWAY_STALE_MS = 4_000
LUA = Path(__file__).parent / "lua"


class Cast(IntEnum):
    """The box's answer to a ballot; below 0 it is minus the voter's higher sequence.

    BUSY is the intake's own: too many ballots wait for a box that is away.
    """

    OK = 1
    DUP = 2
    LATE = 3
    UNKNOWN = 4
    EARLY = 5
    BUSY = 6


@dataclass(frozen=True, slots=True)
class BoxedTurn:
    """A turn as the box knows it."""

    event_id: int
    turn_id: int
    version: int
    epoch: int
    opens_at: int
    closes_at: int

    @property
    def keys(self) -> list[str]:
        return turn_keys(self.event_id, self.turn_id)


@dataclass(frozen=True, slots=True)
class Early:
    closes_at: int


@dataclass(frozen=True, slots=True)
class Lost:
    """The box does not hold the turn (any more)."""


@dataclass(frozen=True, slots=True)
class Sealed:
    ballots: tuple[Ballot, ...]


@dataclass(frozen=True, slots=True)
class Turnout:
    """`connected` a team; `waiting` connected voters yet to vote, None while unsure; `voted` a side."""

    now: int
    connected: tuple[int, int]
    waiting: int | None
    red: int
    yellow: int


def event_key(event_id: int, name: str) -> str:
    return f"crowdgame:{{{event_id}}}:{name}"


def turn_keys(event_id: int, turn_id: int) -> list[str]:
    return [event_key(event_id, f"box:{turn_id}"), event_key(event_id, f"ballots:{turn_id}")]


def _script(name: str) -> str:
    return (LUA / f"{name}.lua").read_text()


def _cast_args(epoch: int, ballots: Iterable[Ballot]) -> list[str | int]:
    args: list[str | int] = [epoch]
    for ballot in ballots:
        args += (ballot.voter, ballot.side, ballot.column, ballot.sequence)
    return args


def _read_ballot(voter: bytes, text: bytes) -> Ballot:
    side, column, sequence, arrival = text.decode().split(" ")
    return Ballot(voter.decode(), cast(Side, side), int(column), int(sequence), int(arrival))


class BallotBox:
    """For use cases: opening, sealing, the time. Raises redis.RedisError when Redis is away."""

    def __init__(self, url: str = "") -> None:
        self._redis: Any = Redis.from_url(
            url or settings.REDIS_URL,
            socket_timeout=settings.REDIS_TIMEOUT_S,
            socket_connect_timeout=settings.REDIS_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),
        )
        self._place = self._redis.register_script(_script("place"))
        self._seal = self._redis.register_script(_script("seal"))
        self._cast = self._redis.register_script(_script("cast"))

    def now(self) -> int:
        seconds, micros = self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        """Bring the box up to the turn's version. False: there is none, and none was to be made."""
        args = (int(create), turn.version, turn.epoch, turn.opens_at, turn.closes_at)
        return bool(self._place(keys=turn.keys, args=args))

    def seal(self, turn: BoxedTurn) -> Early | Lost | Sealed:
        """Freeze the ballots, once, for ever (for this version of the turn)."""
        args = (turn.version, turn.epoch, turn.opens_at, turn.closes_at)
        status, *rest = self._seal(keys=turn.keys, args=args)
        if status == 0:
            return Lost()
        if status == 1:
            return Early(rest[0])
        pairs = zip(rest[::2], rest[1::2], strict=True)
        ballots = (_read_ballot(voter, text) for voter, text in pairs)
        return Sealed(tuple(sorted(ballots, key=lambda ballot: ballot.arrival)))

    def cast(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> None:
        """Put ballots back into a box that was lost."""
        for start in range(0, len(ballots), MAX_BATCH):
            batch = ballots[start : start + MAX_BATCH]
            self._cast(keys=turn.keys, args=_cast_args(turn.epoch, batch))

    def expire(self, event_id: int, turn_id: int) -> None:
        """Let go of a turn that is over, after a while in which a late look is still answered."""
        for key in turn_keys(event_id, turn_id):
            self._redis.pexpire(key, KEPT_AFTER_MS)

    def close(self) -> None:
        self._redis.close()


class AsyncBallotBox:
    """For gateways: taking ballots, seats, presence. Raises redis.RedisError when Redis is away.

    People who come all at once wait for each other, and no ballot waits for them.
    """

    def __init__(self) -> None:
        self._redis: Any = AsyncRedis.from_url(
            settings.REDIS_URL,
            socket_timeout=settings.REDIS_TIMEOUT_S,
            socket_connect_timeout=settings.REDIS_TIMEOUT_S,
            retry=AsyncRetry(NoBackoff(), 0),
        )
        self._cast = self._redis.register_script(_script("cast"))
        self._join = self._redis.register_script(_script("join"))
        self._beat = self._redis.register_script(_script("beat"))
        self._joining = asyncio.Semaphore(JOINS_AT_ONCE)

    async def now(self) -> int:
        seconds, micros = await self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> list[int]:
        """An answer a ballot (see Cast), at most MAX_BATCH at a time."""
        answers = await self._cast(keys=turn_keys(event_id, turn_id), args=_cast_args(epoch, ballots))
        return cast(list[int], answers)

    async def seat(self, event_id: int, wish: int | None) -> int:
        """The number of the team a new voter belongs to: `wish`, or the smaller one."""
        async with self._joining:
            return int(await self._join(keys=[event_key(event_id, "joined")], args=[wish or 0]))

    async def ballot_of(self, event_id: int, turn_id: int, voter: str) -> Ballot | None:
        async with self._joining:
            text = await self._redis.hget(turn_keys(event_id, turn_id)[1], voter)
        return _read_ballot(voter.encode(), text) if text else None

    async def beat(
        self, event_id: int, gateway: str, turn: tuple[int, int], connected: tuple[int, int], waiting: int
    ) -> Turnout:
        """`turn` is its id and epoch as the gateway knows them."""
        keys = [event_key(event_id, "gateways"), turn_keys(event_id, turn[0])[0]]
        named = f"{turn[0]}.{turn[1]}"
        args: list[str | int] = [gateway, GATEWAY_STALE_MS, named, *connected, waiting]
        now, one, two, yet, red, yellow = await self._beat(keys=keys, args=args)
        return Turnout(now, (one, two), None if yet < 0 else yet, red, yellow)

    async def close(self) -> None:
        await self._redis.aclose()
