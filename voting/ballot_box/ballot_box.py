"""The ballot box: the only client of Redis for ballots, and the only clock.

Every script is idempotent, so a call whose answer was lost may be made again. All keys of an
event carry its id as hash tag and so live in one slot of a cluster.
"""

import logging
import secrets
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import msgspec
from django.conf import settings
from redis.exceptions import ResponseError

from games.engine.game import SIDES, Side
from voting.ballot_box.box_types import (
    AcknowledgedArrivals,
    BoxedTurn,
    BoxLost,
    CastResult,
    PresenceCounts,
    Sealed,
    TooEarly,
    Turnout,
    event_key,
    turn_keys,
)
from voting.ballot_box.stores import connect, connect_async, execute_all
from voting.counting.ballots import Ballot

log = logging.getLogger(__name__)
Pair = tuple[int, int]

MAX_BATCH = 2_000
EXPIRE_AFTER_MS = 600 * 1000
SCAN_COUNT = 1_000
GATEWAY_STALE_MS = 4_000
RECONNECT_GRACE_MS = 10_000  # a gateway started again, and its phones having found one
RESTORER = "restorer"
LUA_DIR = Path(__file__).parent / "lua"

_decode_ballots = msgspec.json.Decoder(list[Ballot]).decode
_pack = msgspec.msgpack.Encoder().encode
_unpack_answers = msgspec.msgpack.Decoder(list[int]).decode


def _is_corrupt(error: ResponseError) -> bool:
    """Whether the keys are to blame, and not a server that takes no ballots at the moment."""
    return error.status_code == "ERR" or str(error).startswith("WRONGTYPE")


def _log_spoilt(turn_id: int, error: Exception) -> None:
    log.error("the box of turn %s is spoilt: %s", turn_id, error, extra={"turn": turn_id})


def _script(name: str) -> str:
    return (LUA_DIR / f"{name}.lua").read_text()


def _read_ballots(voters: Iterable[bytes], texts: Iterable[bytes]) -> tuple[Ballot, ...]:
    """In order of arrival; all in one go, since a full hall waits for it."""
    rows = map(b'["%b",%b]'.__mod__, zip(voters, texts, strict=True))
    ballots = _decode_ballots(b"[" + b",".join(rows) + b"]")
    return tuple(sorted(ballots, key=attrgetter("arrival")))


def _state_commands(box: str, ballots: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return ("HMGET", box, "version", "older", *SIDES), ("HLEN", ballots)


def _is_consistent(box: Any, held: Any, version: int) -> bool:
    if not isinstance(box, list) or not isinstance(held, int):
        return False
    known, older, *counts = box
    return bool(known) and not older and int(known) >= version and held == sum(int(n or 0) for n in counts)


class BallotBox:
    """For use cases: opening, sealing, the time. Raises redis.RedisError when Redis is away."""

    def __init__(self, url: str = "") -> None:
        self._redis: Any = connect(url or settings.BALLOT_BOX_URL)
        self._place = self._redis.register_script(_script("place"))
        self._seal = self._redis.register_script(_script("seal"))
        self._cast = self._redis.register_script(_script("cast"))

    def now(self) -> int:
        seconds, micros = self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    @property
    def time_source(self) -> str:
        """Which node of a cluster told the time last."""
        return getattr(self._redis, "timekeeper", "")

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        """Bring the box up to the turn's version. False: there is none, and none was to be made."""
        return bool(self._place(keys=turn.keys, args=(int(create), *turn.window)))

    def find_inconsistent(self, turns: Sequence[tuple[int, int, int]]) -> set[int]:
        """Those turns whose box is not whole, of an older version, or away: what `place` has to look at.

        `turns` are event, turn and version; all of them are asked for at once.
        """
        keys = [turn_keys(event_id, turn_id) for event_id, turn_id, _ in turns]
        answers = execute_all(
            self._redis, [ask for box, ballots in keys for ask in _state_commands(box, ballots)]
        )
        pairs = zip(turns, answers[::2], answers[1::2], strict=True)
        return {
            turn_id for (_, turn_id, version), box, held in pairs if not _is_consistent(box, held, version)
        }

    def seal(self, turn: BoxedTurn) -> TooEarly | BoxLost | Sealed:
        """Freeze the ballots, once, for ever (for this version of the turn)."""
        status, *rest = self._seal(keys=turn.keys, args=turn.window)
        if status == 0:
            return BoxLost()
        if status == 1:
            return TooEarly(rest[0])
        sealed_at, parts = rest
        return Sealed(_read_ballots(parts[::2], parts[1::2]), sealed_at)

    def cast(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> None:
        """Put ballots back into a box that was lost."""
        for start in range(0, len(ballots), MAX_BATCH):
            batch = ballots[start : start + MAX_BATCH]
            self._cast(keys=turn.keys, args=(turn.epoch, _pack(batch), RESTORER, 0))

    def ballot_counts(self, turn: BoxedTurn) -> dict[Side, int]:
        """How many ballots the box holds, a side."""
        counts = self._redis.hmget(turn.keys[0], SIDES)
        return {side: int(count or 0) for side, count in zip(SIDES, counts, strict=True)}

    def picked_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """Who has a ballot in the box, and since when; 0: nobody noted it."""
        fields = [name for side in SIDES for name in (side, f"{side}_at")]
        held = [int(value or 0) for value in self._redis.hmget(turn_keys(event_id, turn_id)[0], fields)]
        return {side: held[2 * place + 1] for place, side in enumerate(SIDES) if held[2 * place]}

    def all_voted_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """The sides of which everybody who is connected has voted, and since when."""
        held = self._redis.hmget(turn_keys(event_id, turn_id)[0], [f"{side}_done" for side in SIDES])
        return {side: int(at) for side, at in zip(SIDES, held, strict=True) if at}

    def connected(self, event_id: int) -> tuple[int, int]:
        """How many phones of each team gateways hold at the moment."""
        now = self.now()
        heartbeats = [heartbeat.split() for heartbeat in self._redis.hvals(event_key(event_id, "gateways"))]
        held = [(int(one), int(two)) for at, _, one, two, _ in heartbeats if now - int(at) < GATEWAY_STALE_MS]
        return sum(one for one, _ in held), sum(two for _, two in held)

    def expire(self, event_id: int, turn_id: int) -> None:
        """Let go of a turn that is over, after a while in which a late look is still answered."""
        for key in turn_keys(event_id, turn_id):
            self._redis.pexpire(key, EXPIRE_AFTER_MS)

    def count_present(self, event_id: int) -> PresenceCounts:
        """Whom all gateways held together as they last said; `waiting` is not told."""
        now = self.now()
        rows = {name: self._redis.hvals(event_key(event_id, name)) for name in ("gateways", "watchers")}
        fresh = {
            name: [row.split() for row in values if now - int(row.split()[0]) < GATEWAY_STALE_MS]
            for name, values in rows.items()
        }
        one, two = (sum(int(row[place]) for row in fresh["gateways"]) for place in (2, 3))
        return PresenceCounts((one, two), watching=sum(int(row[1]) for row in fresh["watchers"]))

    def list_active_events(self) -> list[int]:
        """The events that gateways hold phones or screens of at the moment."""
        now = self.now()
        return [
            int(key.split(b"{")[1].split(b"}")[0])
            for key in self._redis.scan_iter(match="crowdgame:{*}:gateways", count=SCAN_COUNT)
            if any(now - int(heartbeat.split()[0]) < GATEWAY_STALE_MS for heartbeat in self._redis.hvals(key))
        ]

    def delete_all_events(self) -> int:
        """Drop everything of every event; how many turns' ballots were among it."""
        keys = list(self._redis.scan_iter(match="crowdgame:{*}:*", count=SCAN_COUNT))
        for key in keys:
            self._redis.unlink(key)
        return sum(b":ballots" in key for key in keys)

    def close(self) -> None:
        self._redis.close()


class AsyncBallotBox:
    """For gateways: taking ballots, seats, presence. Raises redis.RedisError when Redis is away."""

    def __init__(self) -> None:
        self._redis: Any = connect_async(settings.BALLOT_BOX_URL)
        self._name = secrets.token_hex(4)
        self._acknowledged: dict[int, AcknowledgedArrivals] = {}
        self._cast = self.script("cast")
        self._join = self.script("join")
        self._heartbeat = self.script("heartbeat")

    def script(self, name: str) -> Any:
        """One of ours, to be awaited with its `keys` and `args`."""
        return self._redis.register_script(_script(name))

    async def now(self) -> int:
        seconds, micros = await self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> list[int]:
        """An answer a ballot (see Cast), at most MAX_BATCH at a time."""
        acknowledged = self._acknowledged_in(event_id, turn_id, epoch)
        args = (epoch, _pack(ballots), self._name, acknowledged.arrivals)
        try:
            answers = _unpack_answers(await self._cast(keys=turn_keys(event_id, turn_id), args=args))
            acknowledged.arrivals = max(acknowledged.arrivals, answers.pop())
            return answers
        except ResponseError as error:
            if not _is_corrupt(error):
                raise
            _log_spoilt(turn_id, error)
            return [CastResult.UNKNOWN] * len(ballots)

    async def seats(self, event_id: int, wishes: Sequence[int]) -> list[int]:
        """The number of the team each new voter belongs to: the one wished for, or with 0 the smaller.

        Below 0 the team that was offered, unless it is the larger one by more than a twentieth of all.
        """
        return cast(list[int], await self._join(keys=[event_key(event_id, "joined")], args=wishes))

    async def load_ballots(self, event_id: int, turn_id: int, voters: Sequence[str]) -> dict[str, Ballot]:
        """The ballots that count, of those of the voters who have one; none in a box that cannot be read."""
        try:
            texts = await self._redis.hmget(turn_keys(event_id, turn_id)[1], voters)
            held = {voter.encode(): text for voter, text in zip(voters, texts, strict=True) if text}
            return {ballot.voter: ballot for ballot in _read_ballots(held.keys(), held.values())}
        except (ResponseError, msgspec.MsgspecError) as error:
            if isinstance(error, ResponseError) and not _is_corrupt(error):
                raise
            _log_spoilt(turn_id, error)
            return {}

    async def heartbeat(self, event_id: int, gateway: str, turn: Pair, held: PresenceCounts) -> Turnout:
        """`turn` is its id and epoch as the gateway knows them; a box found older than itself is given up."""
        keys = [event_key(event_id, name) for name in ("gateways", "most", "waiting", "watchers")]
        keys.insert(1, turn_keys(event_id, turn[0])[0])
        named = f"{turn[0]}.{turn[1]}"
        acknowledged = self._acknowledged_in(event_id, *turn)
        args: list[str | int] = [gateway, GATEWAY_STALE_MS, named, *held.connected, sum(held.waiting)]
        args += [
            turn[1],
            self._name,
            acknowledged.arrivals,
            RECONNECT_GRACE_MS,
            held.waiting[0],
            held.watching,
        ]
        now, one, two, yet, red, yellow, *at, watching = await self._heartbeat(keys=keys, args=args)
        waiting = None if yet < 0 else yet
        return Turnout(now, (one, two), waiting, red, yellow, (at[0], at[1]), (at[2], at[3]), watching)

    def _acknowledged_in(self, event_id: int, turn_id: int, epoch: int) -> AcknowledgedArrivals:
        """Of an event only its newest turn and epoch are kept in mind."""
        acknowledged = self._acknowledged.get(event_id)
        if acknowledged is None or acknowledged.turn_ref < (turn_id, epoch):
            acknowledged = self._acknowledged[event_id] = AcknowledgedArrivals((turn_id, epoch))
        return (
            acknowledged
            if acknowledged.turn_ref == (turn_id, epoch)
            else AcknowledgedArrivals((turn_id, epoch))
        )

    def drop_cache(self, event_id: int) -> None:
        """Whatever the box told of this event's turns."""
        self._acknowledged.pop(event_id, None)

    async def leave(self, event_id: int, gateway: str) -> None:
        """The gateway holds nobody any more."""
        for name in ("gateways", "watchers"):
            await self._redis.hdel(event_key(event_id, name), gateway)

    async def close(self) -> None:
        await self._redis.aclose()
