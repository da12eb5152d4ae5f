"""The ballot box: the only Redis client for ballots, and the reference clock of all deadlines.

Every script is idempotent, so a call whose reply was lost can be repeated. All keys of an event carry its id
as hash tag and so live in one slot of a cluster.
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
    BoxState,
    CastReply,
    CastResult,
    PlaceResult,
    PresenceCounts,
    PresenceReport,
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
RECONNECT_GRACE_MS = 10_000  # time for a gateway to restart and its clients to reconnect
CLOSING_KEY, CLOSING_LEASE_MS = "crowdgame:closing:{}", 1_000
RESTORER = "restorer"
LUA_DIR = Path(__file__).parent / "lua"

_decode_ballots = msgspec.json.Decoder(list[Ballot]).decode
_pack = msgspec.msgpack.Encoder().encode
_unpack_answers = msgspec.msgpack.Decoder(list[int]).decode


def _is_corrupt(error: ResponseError) -> bool:
    """Return whether the keys are corrupt, as opposed to a server that accepts no writes at the moment."""
    return error.status_code == "ERR" or str(error).startswith("WRONGTYPE")


def _log_corrupt(turn_id: int, error: Exception) -> None:
    log.error("the ballot box of turn %s is corrupt: %s", turn_id, error, extra={"turn": turn_id})


def _script(name: str) -> str:
    return (LUA_DIR / f"{name}.lua").read_text()


def _read_ballots(voters: Iterable[bytes], texts: Iterable[bytes]) -> tuple[Ballot, ...]:
    """Return the ballots in order of arrival. Decodes them in one call, because a reveal waits for it."""
    rows = map(b'["%b",%b]'.__mod__, zip(voters, texts, strict=True))
    ballots = _decode_ballots(b"[" + b",".join(rows) + b"]")
    return tuple(sorted(ballots, key=attrgetter("arrival")))


def _state_commands(event_id: int, turn_id: int) -> tuple[tuple[str, ...], ...]:
    box, ballots = turn_keys(event_id, turn_id)
    gateways = event_key(event_id, "gateways")
    return ("HMGET", box, "version", "older", "stored", *SIDES), ("HLEN", ballots), ("HVALS", gateways)


def _is_consistent(box: Any, held: Any, version: int) -> bool:
    if not isinstance(box, list) or not isinstance(held, int):
        return False
    known, older, stored, *counts = box
    if not known or older or stored == b"pending":
        return False
    return int(known) >= version and held == sum(int(n or 0) for n in counts)


def _fresh(rows: Any, now: int) -> list[list[bytes]]:
    """Return the fields of the gateways' heartbeats that are not stale."""
    fields = [row.split() for row in rows] if isinstance(rows, list) else []
    return [row for row in fields if abs(now - int(row[0])) < GATEWAY_STALE_MS]


class BallotBox:
    """The synchronous client, for opening and sealing turns and for the time.

    Methods raise redis.RedisError while Redis is away.
    """

    def __init__(self, url: str = "") -> None:
        self._redis: Any = connect(url or settings.BALLOT_BOX_URL)
        self._place = self._redis.register_script(_script("place"))
        self._seal = self._redis.register_script(_script("seal"))
        self._cast = self._redis.register_script(_script("cast"))

    def now(self) -> int:
        """Return the box's time in Unix milliseconds."""
        seconds, micros = self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    @property
    def time_source(self) -> str:
        """The cluster node that returned the time last; empty without a cluster."""
        return getattr(self._redis, "time_source", "")

    def place(self, turn: BoxedTurn, *, create: bool) -> PlaceResult:
        """Bring the box up to the turn's version. Returns LOST if there is no box and `create` is false."""
        return PlaceResult(self._place(keys=turn.keys, args=(int(create), *turn.window)))

    def load_ballots(self, turn: BoxedTurn) -> tuple[Ballot, ...]:
        """Return all ballots of the turn, in order of arrival."""
        held = self._redis.hgetall(turn.keys[1])
        return _read_ballots(held.keys(), held.values())

    def confirm_stored(self, turn: BoxedTurn) -> None:
        """Record that the ballots cast before the turn's ballots were `stored` are in the database, too."""
        self._redis.hset(turn.keys[0], "stored", "done")

    def inspect(self, turns: Sequence[tuple[int, int, int]]) -> dict[int, BoxState]:
        """Return the state of each turn's box, by turn id.

        `turns` are triples of event id, turn id and version. A single server is asked in one pipeline.
        """
        commands = [ask for event_id, turn_id, _ in turns for ask in _state_commands(event_id, turn_id)]
        answers, now = execute_all(self._redis, commands), self.now()
        rows = zip(turns, answers[::3], answers[1::3], answers[2::3], strict=True)
        states = {}
        for (_, turn_id, version), box, held, heartbeats in rows:
            gateways = _fresh(heartbeats, now)
            voters = sum(int(one) + int(two) for _, _, one, two, _ in gateways)
            ballots = held if isinstance(held, int) else 0
            states[turn_id] = BoxState(_is_consistent(box, held, version), ballots, voters, len(gateways))
        return states

    def find_inconsistent(self, turns: Sequence[tuple[int, int, int]]) -> set[int]:
        """Return the ids of turns whose box must be repaired. `turns` are as for `inspect`."""
        return {turn_id for turn_id, state in self.inspect(turns).items() if not state.is_consistent}

    def seal(self, turn: BoxedTurn) -> TooEarly | BoxLost | Sealed:
        """Freeze the ballots of this version of the turn, once and for all. Idempotent."""
        status, *rest = self._seal(keys=turn.keys, args=turn.window)
        if status == 0:
            return BoxLost()
        if status == 1:
            return TooEarly(rest[0])
        sealed_at, parts = rest
        return Sealed(_read_ballots(parts[::2], parts[1::2]), sealed_at)

    def claim_closing(self, turn_id: int) -> bool:
        """Take the lease of the process that closes the turn; False if another process holds it.

        It ends CLOSING_LEASE_MS after this call or the last `renew_closing`.
        """
        return bool(self._redis.set(CLOSING_KEY.format(turn_id), 1, nx=True, px=CLOSING_LEASE_MS))

    def renew_closing(self, turn_id: int) -> None:
        self._redis.pexpire(CLOSING_KEY.format(turn_id), CLOSING_LEASE_MS)

    def release_closing(self, turn_id: int) -> None:
        self._redis.delete(CLOSING_KEY.format(turn_id))

    def is_closing(self, turn_id: int) -> bool:
        """Return whether a process holds the lease for closing the turn."""
        return bool(self._redis.exists(CLOSING_KEY.format(turn_id)))

    def cast(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> None:
        """Put ballots back into a box that was lost."""
        for start in range(0, len(ballots), MAX_BATCH):
            batch = ballots[start : start + MAX_BATCH]
            self._cast(keys=turn.keys, args=(turn.epoch, _pack(batch), RESTORER, 0))

    def ballot_counts(self, turn: BoxedTurn) -> dict[Side, int]:
        """Return the number of ballots in the box for each side."""
        counts = self._redis.hmget(turn.keys[0], SIDES)
        return {side: int(count or 0) for side, count in zip(SIDES, counts, strict=True)}

    def picked_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """Return since when each side has a ballot (Unix ms); 0 if the time was not recorded."""
        fields = [name for side in SIDES for name in (side, f"{side}_at")]
        held = [int(value or 0) for value in self._redis.hmget(turn_keys(event_id, turn_id)[0], fields)]
        return {side: held[2 * place + 1] for place, side in enumerate(SIDES) if held[2 * place]}

    def all_voted_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """Return the sides whose connected voters have all voted, and since when (Unix ms)."""
        held = self._redis.hmget(turn_keys(event_id, turn_id)[0], [f"{side}_done" for side in SIDES])
        return {side: int(at) for side, at in zip(SIDES, held, strict=True) if at}

    def connected(self, event_id: int) -> tuple[int, int]:
        """Return the connected voters of teams 1 and 2, over all gateways with a fresh heartbeat."""
        now = self.now()
        heartbeats = [heartbeat.split() for heartbeat in self._redis.hvals(event_key(event_id, "gateways"))]
        held = [(int(one), int(two)) for at, _, one, two, _ in heartbeats if now - int(at) < GATEWAY_STALE_MS]
        return sum(one for one, _ in held), sum(two for _, two in held)

    def expire(self, event_id: int, turn_id: int) -> None:
        """Expire a closed turn's keys after EXPIRE_AFTER_MS, so that late requests still get a reply."""
        execute_all(self._redis, [("PEXPIRE", key, EXPIRE_AFTER_MS) for key in turn_keys(event_id, turn_id)])

    def count_present(self, event_id: int) -> PresenceCounts:
        """Return the presence that all gateways reported last, in total; `waiting` stays (0, 0)."""
        now = self.now()
        rows = {name: self._redis.hvals(event_key(event_id, name)) for name in ("gateways", "watchers")}
        fresh = {
            name: [row.split() for row in values if now - int(row.split()[0]) < GATEWAY_STALE_MS]
            for name, values in rows.items()
        }
        one, two = (sum(int(row[place]) for row in fresh["gateways"]) for place in (2, 3))
        return PresenceCounts((one, two), watching=sum(int(row[1]) for row in fresh["watchers"]))

    def active_gateways(self, event_id: int) -> set[str]:
        """Return the names of the event's gateways with a fresh heartbeat."""
        now, rows = self.now(), self._redis.hgetall(event_key(event_id, "gateways"))
        return {name.decode() for name, row in rows.items() if now - int(row.split()[0]) < GATEWAY_STALE_MS}

    def read_hash(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        """Return the values of a hash's fields, None for each missing one."""
        values: list[bytes | None] = self._redis.hmget(key, fields)
        return values

    def list_active_events(self) -> list[int]:
        """Return the ids of events with at least one gateway that has a fresh heartbeat."""
        now = self.now()
        return [
            int(key.split(b"{")[1].split(b"}")[0])
            for key in self._redis.scan_iter(match="crowdgame:{*}:gateways", count=SCAN_COUNT)
            if any(now - int(heartbeat.split()[0]) < GATEWAY_STALE_MS for heartbeat in self._redis.hvals(key))
        ]

    def delete_all_events(self) -> int:
        """Delete all keys of all events. Returns the number of turns whose ballots were among them."""
        keys = list(self._redis.scan_iter(match="crowdgame:{*}:*", count=SCAN_COUNT))
        for key in keys:
            self._redis.unlink(key)
        return sum(b":ballots" in key for key in keys)

    def close(self) -> None:
        self._redis.close()


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
        return self._redis.register_script(_script(name))

    async def now(self) -> int:
        """Return the box's time in Unix milliseconds."""
        seconds, micros = await self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    async def cast(self, event_id: int, turn_id: int, epoch: int, ballots: Sequence[Ballot]) -> CastReply:
        """Cast at most MAX_BATCH ballots."""
        acknowledged = self._acknowledged_in(event_id, turn_id, epoch)
        args = (epoch, _pack(ballots), self._name, acknowledged.arrivals)
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

    async def assign_teams(self, event_id: int, wishes: Sequence[int]) -> list[int]:
        """Team assignment and balancing: return a team number for each new voter, given their `wishes`.

        A positive wish is granted, and 0 joins the smaller team. A negative one is the team that was offered;
        it is granted unless that team is larger by more than a twentieth of all voters.
        """
        return cast(list[int], await self._join(keys=[event_key(event_id, "joined")], args=wishes))

    async def load_ballots(self, event_id: int, turn_id: int, voters: Sequence[str]) -> dict[str, Ballot]:
        """Return the current ballot of each of the voters who has one; empty if the box is corrupt."""
        try:
            texts = await self._redis.hmget(turn_keys(event_id, turn_id)[1], voters)
            held = {voter.encode(): text for voter, text in zip(voters, texts, strict=True) if text}
            return {ballot.voter: ballot for ballot in _read_ballots(held.keys(), held.values())}
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
        red, yellow = await self._peek(keys=turn_keys(event_id, turn_id)[1:], args=(columns, max_votes))
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
