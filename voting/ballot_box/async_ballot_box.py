"""The ballot box's asyncio client, for gateways."""

import logging
import secrets
from collections.abc import Sequence
from typing import Any, cast

import msgspec
from django.conf import settings
from redis.exceptions import ResponseError

from voting.ballot_box.box_types import (
    AcknowledgedArrivals,
    CastReply,
    CastResult,
    PresenceCounts,
    PresenceReport,
    TeamWish,
    Turnout,
    decode_stored_ballots,
    encode_batch,
    event_key,
    turn_keys,
)
from voting.ballot_box.heartbeats import GATEWAY_STALE_MS, RECONNECT_GRACE_MS
from voting.ballot_box.stores import connect_async, load_script
from voting.counting.ballots import Ballot

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
        self._acknowledged: dict[int, AcknowledgedArrivals] = {}
        self._cast = self.script("cast")
        self._join = self.script("join")
        self._heartbeat = self.script("heartbeat")
        self._peek = self.script("peek")

    def script(self, name: str) -> Any:
        """Return a script of `lua/`, to be awaited with `keys` and `args`."""
        return self._redis.register_script(load_script(name))

    async def now(self) -> int:
        """Return the box's time in Unix milliseconds."""
        seconds, micros = await self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> CastReply:
        """Cast at most MAX_BATCH ballots."""
        acknowledged = self._acknowledged_in(event_id, turn_id, epoch)
        args = (epoch, encode_batch(ballots), self._name, acknowledged.arrivals)
        try:
            reply = await self._cast(keys=turn_keys(event_id, turn_id), args=args)
            *answers, arrivals, stored = _unpack_answers(reply)
            acknowledged.arrivals = max(acknowledged.arrivals, arrivals)
            return CastReply(answers, bool(stored))
        except ResponseError as error:
            if not _is_corrupt(error):
                raise
            _log_corrupt(turn_id, error)
            return CastReply([CastResult.UNKNOWN] * len(ballots))

    async def assign_teams(self, event_id: int, wishes: Sequence[TeamWish]) -> list[int]:
        """Team assignment and balancing: return a team number for each new voter, given their `wishes`."""
        args = [-wish.team if wish.is_offered else wish.team for wish in wishes]
        return cast(list[int], await self._join(keys=[event_key(event_id, "joined")], args=args))

    async def load_ballots(self, event_id: int, turn_id: int, voters: Sequence[str]) -> dict[str, Ballot]:
        """Return the current ballot of each of the voters who has one; empty if the box is corrupt."""
        try:
            texts = await self._redis.hmget(turn_keys(event_id, turn_id)[1], voters)
            held = {voter.encode(): text for voter, text in zip(voters, texts, strict=True) if text}
            return {ballot.voter: ballot for ballot in decode_stored_ballots(held.keys(), held.values())}
        except (ResponseError, msgspec.MsgspecError) as error:
            if isinstance(error, ResponseError) and not _is_corrupt(error):
                raise
            _log_corrupt(turn_id, error)
            return {}

    async def live_counts(
        self, event_id: int, turn_id: int, columns: int, max_votes: int
    ) -> tuple[list[int], list[int]]:
        """Return red's and yellow's votes for each of the `columns` columns, before the turn is sealed.

        A ballot gives a column at most `max_votes`. Only for events that announce who sees them: consoles, or
        each team its own.
        """
        red, yellow = await self._peek(keys=turn_keys(event_id, turn_id)[1:2], args=(columns, max_votes))
        return red, yellow

    async def heartbeat(self, event_id: int, gateway: str, turn: Pair, held: PresenceCounts) -> Turnout:
        """Report this gateway's presence and return the turnout over all gateways.

        `turn` is the id and epoch that the gateway knows. A box that turns out to be an older copy of itself
        is marked as lost.
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
            acknowledged=self._acknowledged_in(event_id, turn_id, epoch).arrivals,
            stale_ms=GATEWAY_STALE_MS,
            reconnect_grace_ms=RECONNECT_GRACE_MS,
        )
        reply = await self._heartbeat(keys=keys, args=[msgspec.json.encode(report)])
        return msgspec.json.decode(reply, type=Turnout)

    def _acknowledged_in(self, event_id: int, turn_id: int, epoch: int) -> AcknowledgedArrivals:
        """Return the acknowledged arrivals of a turn; only the newest turn and epoch of an event are kept."""
        acknowledged = self._acknowledged.get(event_id)
        if acknowledged is None or acknowledged.turn_ref < (turn_id, epoch):
            acknowledged = self._acknowledged[event_id] = AcknowledgedArrivals((turn_id, epoch))
        return (
            acknowledged
            if acknowledged.turn_ref == (turn_id, epoch)
            else AcknowledgedArrivals((turn_id, epoch))
        )

    def drop_cache(self, event_id: int) -> None:
        """Drop what the box acknowledged of this event's turns."""
        self._acknowledged.pop(event_id, None)

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
