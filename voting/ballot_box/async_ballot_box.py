"""The ballot box's asyncio client, for gateways."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import msgspec
from django.conf import settings
from redis.exceptions import RedisError, ResponseError

from voting.ballot_box.box_types import (
    AcknowledgedArrivals,
    CastReply,
    CastResult,
    PresenceCounts,
    PresenceReport,
    Storing,
    TeamWish,
    Turnout,
    decode_stored_ballots,
    encode_batch,
    event_key,
    turn_keys,
)
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS, RECONNECT_GRACE_MS
from voting.ballot_box.shards import ONE_SHARD, Shard
from voting.ballot_box.stores import connect_async, load_script
from voting.counting.ballots import Ballot
from voting.terms import MAX_SHARDS

log = logging.getLogger(__name__)
Pair = tuple[int, int]

_unpack_answers = msgspec.msgpack.Decoder(list[int]).decode


class AsyncBallotBox:
    """The asyncio client, for gateways: ballots, seats and presence.

    Methods raise redis.RedisError while Redis is away.
    """

    def __init__(self) -> None:
        self._redis: Any = connect_async(settings.BALLOT_BOX_URL)
        self._name = secrets.token_hex(4)
        self._acknowledged: dict[tuple[int, int], AcknowledgedArrivals] = {}
        self._cast = self.script("cast")
        self._join = self.script("join")
        self._heartbeat = self.script("heartbeat")
        self._read_shard = self.script("read_shard")
        self._peek = self.script("peek")

    def script(self, name: str) -> Any:
        """Return a script of `lua/`, to be awaited with `keys` and `args`."""
        return self._redis.register_script(load_script(name))

    async def now(self) -> int:
        """Return the box's time in Unix milliseconds."""
        seconds, micros = await self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def cast(
        self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot], shard: Shard = ONE_SHARD
    ) -> CastReply:
        """Cast at most MAX_BATCH ballots, all of voters of the shard."""
        acknowledged = self._acknowledged_in(event_id, turn_id, epoch, shard)
        args = (epoch, encode_batch(ballots), self._name, acknowledged.arrivals, *shard)
        try:
            reply = await self._cast(keys=turn_keys(event_id, turn_id, shard), args=args)
            *answers, arrivals, stored = _unpack_answers(reply)
            acknowledged.arrivals = max(acknowledged.arrivals, arrivals)
            return CastReply(answers, Storing(stored))
        except ResponseError as error:
            if not _is_corrupt(error):
                raise
            _log_corrupt(turn_id, error)
            return CastReply([CastResult.UNKNOWN] * len(ballots))

    async def assign_teams(self, event_id: int, wishes: Sequence[TeamWish]) -> list[int]:
        """Team assignment and balancing: return a team number for each new voter, given their `wishes`."""
        args = [-wish.team if wish.is_offered else wish.team for wish in wishes]
        return cast(list[int], await self._join(keys=[event_key(event_id, "joined")], args=args))

    async def load_ballots(
        self, event_id: int, turn_id: int, voters: Sequence[str], shards: int = 1
    ) -> dict[str, Ballot]:
        """Return the current ballot of each of the voters who has one; empty if the box is corrupt."""
        by_shard: dict[Shard, list[str]] = {}
        for voter in voters:
            by_shard.setdefault(Shard.of(voter, shards), []).append(voter)
        found: dict[bytes, bytes] = {}
        try:
            for shard, own in by_shard.items():
                texts = await self._redis.hmget(turn_keys(event_id, turn_id, shard)[1], own)
                found |= {voter.encode(): text for voter, text in zip(own, texts, strict=True) if text}
            return {ballot.voter: ballot for ballot in decode_stored_ballots(found.keys(), found.values())}
        except (ResponseError, msgspec.MsgspecError) as error:
            if isinstance(error, ResponseError) and not _is_corrupt(error):
                raise
            _log_corrupt(turn_id, error)
            return {}

    async def live_counts(
        self, event_id: int, turn_id: int, columns: int, max_votes: int, shards: int = 1
    ) -> tuple[list[int], list[int]]:
        """Return red's and yellow's votes for each of the `columns` columns, before the turn is sealed.

        A ballot gives a column at most `max_votes`. Only for events that announce who sees them: consoles, or
        each team its own.
        """
        parts = [
            await self._peek(keys=turn_keys(event_id, turn_id, shard)[:2], args=(columns, max_votes))
            for shard in Shard.all(shards)
        ]
        red, yellow = (
            [sum(column) for column in zip(*side, strict=True)] for side in zip(*parts, strict=True)
        )
        return red, yellow

    async def heartbeat(
        self, event_id: int, gateway: str, turn: Pair, held: PresenceCounts, shards: int = 1
    ) -> Turnout:
        """Report this gateway's presence and return the turnout over all gateways.

        `turn` is the id and epoch that the gateway knows. A box that turns out to be an older copy of itself
        is marked as lost. The first shard has the presence, and each one counts its own ballots. While
        another shard is away, its ballots are missing, and nobody knows who is `waiting`.
        """
        turn_id, epoch = turn
        keys = [event_key(event_id, name) for name in ("gateways", "most", "waiting", "watchers")]
        keys.insert(1, turn_keys(event_id, turn_id)[0])
        report = PresenceReport(
            gateway=gateway,
            client=self._name,
            turn=f"{turn_id}.{epoch}",
            epoch=epoch,
            connected=held.connected,
            waiting=held.waiting,
            watching=held.watching,
            acknowledged=self._acknowledged_in(event_id, turn_id, epoch, ONE_SHARD).arrivals,
            stale_ms=GATEWAY_STALE_MS,
            reconnect_grace_ms=RECONNECT_GRACE_MS,
        )
        reply = await self._heartbeat(keys=keys, args=[msgspec.json.encode(report)])
        turnout = msgspec.json.decode(reply, type=Turnout)
        others = [
            self._read_shard(
                keys=turn_keys(event_id, turn_id, shard)[:1],
                args=(epoch, self._name, self._acknowledged_in(event_id, turn_id, epoch, shard).arrivals),
            )
            for shard in Shard.all(shards)[1:]
        ]
        for counts in await asyncio.gather(*others, return_exceptions=True):
            if isinstance(counts, RedisError):
                turnout = replace(turnout, waiting=None)
            elif isinstance(counts, BaseException):
                raise counts
            else:
                turnout = turnout.add(*counts)
        return turnout

    def _acknowledged_in(self, event_id: int, turn_id: int, epoch: int, shard: Shard) -> AcknowledgedArrivals:
        """Return a shard's acknowledged arrivals; only the newest turn and epoch of an event are kept."""
        known = event_id, shard.number
        acknowledged = self._acknowledged.get(known)
        if acknowledged is None or acknowledged.turn_ref < (turn_id, epoch):
            acknowledged = self._acknowledged[known] = AcknowledgedArrivals((turn_id, epoch))
        return (
            acknowledged
            if acknowledged.turn_ref == (turn_id, epoch)
            else AcknowledgedArrivals((turn_id, epoch))
        )

    def drop_cache(self, event_id: int) -> None:
        """Drop what the box acknowledged of this event's turns."""
        for number in range(MAX_SHARDS):
            self._acknowledged.pop((event_id, number), None)

    async def leave(self, event_id: int, gateway: str) -> None:
        """Remove the gateway's presence from the event: it holds no more connections of it."""
        for name in ("gateways", "watchers"):
            await self._redis.hdel(event_key(event_id, name), gateway)

    async def close(self) -> None:
        await self._redis.aclose()


def _is_corrupt(error: ResponseError) -> bool:
    """Return whether the keys are corrupt, as opposed to a server that accepts no writes at the moment."""
    return error.status_code == "ERR" or str(error).startswith("WRONGTYPE")


def _log_corrupt(turn_id: int, error: Exception) -> None:
    log.error("the ballot box of turn %s is corrupt: %s", turn_id, error, extra={"turn": turn_id})
