"""The ballot box: the only Redis client for ballots, and the reference clock of all deadlines.

Every script is idempotent, so a call whose reply was lost can be repeated. All keys of an event carry its id
as hash tag and so live in one slot of a cluster. Gateways use `AsyncBallotBox`.
"""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.conf import settings

from games.engine.game import SIDES, Side
from voting.ballot_box.box_types import (
    MAX_BATCH,
    BoxedTurn,
    BoxLost,
    BoxState,
    CastReply,
    PlaceResult,
    Prefetched,
    PresenceCounts,
    Sealed,
    TooEarly,
    decode_stored_ballots,
    encode_batch,
    event_key,
    turn_keys,
)
from voting.ballot_box.closing_lease import ClosingLease
from voting.ballot_box.heartbeats import fresh_heartbeats
from voting.ballot_box.stores import connect, execute_all, load_script, run_all
from voting.counting.ballots import Ballot

EXPIRE_AFTER_MS = 600 * 1000
SCAN_COUNT = 1_000
TOKEN_BYTES = 8
RESTORER, WORKER = "restorer", "worker"
SEALED_AFTER_PREFETCH = 3
NOTHING = Prefetched()


def _state_commands(event_id: int, turn_id: int) -> tuple[tuple[str, ...], ...]:
    box, ballots, _ = turn_keys(event_id, turn_id)
    gateways = event_key(event_id, "gateways")
    return ("HMGET", box, "version", "older", "stored", *SIDES), ("HLEN", ballots), ("HVALS", gateways)


def _is_consistent(box: Any, held: Any, version: int) -> bool:
    if not isinstance(box, list) or not isinstance(held, int):
        return False
    known, older, stored, *counts = box
    if not known or older or stored == b"pending":
        return False
    return int(known) >= version and held == sum(int(n or 0) for n in counts)


def _read_seal(answer: list[Any], prefetched: Prefetched) -> TooEarly | BoxLost | Sealed:
    status, *rest = answer
    if status == 0:
        return BoxLost()
    if status == 1:
        return TooEarly(rest[0])
    sealed_at, parts = rest
    ballots = decode_stored_ballots(parts[::2], parts[1::2])
    return Sealed(prefetched.merge(ballots) if status == SEALED_AFTER_PREFETCH else ballots, sealed_at)


class BallotBox:
    """The synchronous client, for opening and sealing turns and for the time.

    Methods raise redis.RedisError while Redis is away.
    """

    def __init__(self, url: str = "") -> None:
        self._redis: Any = connect(url or settings.BALLOT_BOX_URL)
        self.closing_lease = ClosingLease(self._redis)
        self._place = self._redis.register_script(load_script("place"))
        self._prefetch = self._redis.register_script(load_script("prefetch"))
        self._seal = self._redis.register_script(load_script("seal"))
        self._cast = self._redis.register_script(load_script("cast"))
        self._scan_voters = self._redis.register_script(load_script("scan_voters"))

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

    def place_all(self, turns: Sequence[BoxedTurn]) -> set[int]:
        """Create the boxes of several turns in one pipeline. Returns the ids of those that are up to date."""
        calls = [(turn.keys, (1, *turn.window)) for turn in turns]
        answers = run_all(self._redis, self._place, calls)
        pairs = zip(turns, answers, strict=True)
        return {turn.turn_id for turn, answer in pairs if answer == PlaceResult.DONE}

    def load_ballots(self, turn: BoxedTurn) -> tuple[Ballot, ...]:
        """Return all ballots of the turn, in order of arrival."""
        held = self._redis.hgetall(turn.keys[1])
        return decode_stored_ballots(held.keys(), held.values())

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
            gateways = fresh_heartbeats(heartbeats if isinstance(heartbeats, list) else (), now)
            voters = sum(int(one) + int(two) for _, _, one, two, _ in gateways)
            ballots = held if isinstance(held, int) else 0
            states[turn_id] = BoxState(_is_consistent(box, held, version), ballots, voters, len(gateways))
        return states

    def find_inconsistent(self, turns: Sequence[tuple[int, int, int]]) -> set[int]:
        """Return the ids of turns whose box must be repaired. `turns` are as for `inspect`."""
        return {turn_id for turn_id, state in self.inspect(turns).items() if not state.is_consistent}

    def prefetch(self, turn: BoxedTurn) -> Prefetched:
        """Read the ballots before the deadline, so that `seal` returns sooner; none if the box is lost."""
        token = secrets.token_hex(TOKEN_BYTES)
        held = self._prefetch(keys=turn.keys, args=(turn.epoch, token))
        return Prefetched(token, decode_stored_ballots(held[::2], held[1::2]))

    def seal_all(
        self, turns: Sequence[BoxedTurn], prefetched: Prefetched = NOTHING
    ) -> dict[int, TooEarly | BoxLost | Sealed]:
        """Freeze the ballots of these versions of the turns, once and for all. Idempotent.

        Returns the reply for each turn by its id, or for each of several that the box answered. The result is
        the same with the `prefetched` ballots of a single turn as without.
        """
        calls = [(turn.keys, (*turn.window, prefetched.token)) for turn in turns]
        answers = run_all(self._redis, self._seal, calls)
        return {
            turn.turn_id: _read_seal(answer, prefetched)
            for turn, answer in zip(turns, answers, strict=True)
            if isinstance(answer, list)
        }

    def cast(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> None:
        """Put ballots back into a box that was lost."""
        for start in range(0, len(ballots), MAX_BATCH):
            batch = ballots[start : start + MAX_BATCH]
            self._cast(keys=turn.keys, args=(turn.epoch, encode_batch(batch), RESTORER, 0))

    def cast_new(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> CastReply:
        """Cast up to MAX_BATCH ballots by the rules for gateways: in the window, with the side's clock."""
        reply = self._cast(keys=turn.keys, args=(turn.epoch, encode_batch(ballots), WORKER, 0))
        *answers, _, stored = msgspec.msgpack.decode(reply, type=list[int])
        return CastReply(answers, bool(stored))

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

    def expire(self, event_id: int, turn_id: int) -> None:
        """Expire a closed turn's keys after EXPIRE_AFTER_MS, so that late requests still get a reply."""
        self.expire_all([(event_id, turn_id)])

    def expire_all(self, turns: Iterable[tuple[int, int]]) -> None:
        """`expire` for several pairs of event id and turn id, in one pipeline."""
        keys = [key for event_id, turn_id in turns for key in turn_keys(event_id, turn_id)]
        execute_all(self._redis, [("PEXPIRE", key, EXPIRE_AFTER_MS) for key in keys])

    def count_present(self, event_id: int) -> PresenceCounts:
        """Return the presence that all gateways reported last, in total; `waiting` stays (0, 0)."""
        now = self.now()
        gateways, watchers = (
            fresh_heartbeats(self._redis.hvals(event_key(event_id, name)), now)
            for name in ("gateways", "watchers")
        )
        one, two = (sum(int(row[place]) for row in gateways) for place in (2, 3))
        return PresenceCounts((one, two), watching=sum(int(row[1]) for row in watchers))

    def active_gateways(self, event_id: int) -> set[str]:
        """Return the names of the event's gateways with a fresh heartbeat."""
        now, rows = self.now(), self._redis.hgetall(event_key(event_id, "gateways"))
        return {name.decode() for name, row in rows.items() if fresh_heartbeats([row], now)}

    def read_hash(self, key: str, fields: Sequence[str]) -> list[bytes | None]:
        """Return the values of a hash's fields, None for each missing one."""
        values: list[bytes | None] = self._redis.hmget(key, fields)
        return values

    def scan_voters(self, keys: Sequence[str], args: Sequence[Any]) -> tuple[bytes, list[Any]]:
        """Run `scan_voters.lua`."""
        cursor, rows = self._scan_voters(keys=keys, args=args)
        return cursor, rows

    def find_ballots(self, event_id: int, turn_id: int, voters: Sequence[str]) -> set[str]:
        """Return those of the voters who have a ballot in the turn, without reading the ballots."""
        key = turn_keys(event_id, turn_id)[1]
        answers = execute_all(self._redis, [("HEXISTS", key, voter) for voter in voters])
        return {voter for voter, answer in zip(voters, answers, strict=True) if answer == 1}

    def list_active_events(self) -> list[int]:
        """Return the ids of events with at least one gateway that has a fresh heartbeat."""
        now = self.now()
        return [
            int(key.split(b"{")[1].split(b"}")[0])
            for key in self._redis.scan_iter(match="crowdgame:{*}:gateways", count=SCAN_COUNT)
            if fresh_heartbeats(self._redis.hvals(key), now)
        ]

    def delete_all_events(self) -> int:
        """Delete all keys of all events. Returns the number of turns whose ballots were among them."""
        keys = list(self._redis.scan_iter(match="crowdgame:{*}:*", count=SCAN_COUNT))
        for key in keys:
            self._redis.unlink(key)
        return sum(b":ballots" in key for key in keys)

    def close(self) -> None:
        self._redis.close()
