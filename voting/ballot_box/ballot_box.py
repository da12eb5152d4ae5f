"""The ballot box: the only Redis client for ballots, and the reference clock of all deadlines.

Every script is idempotent, so a call whose reply was lost can be repeated. All keys of an event carry its id
as hash tag and so live in one hash slot of a cluster, except those of further shards. Gateways use
`AsyncBallotBox`.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
from django.conf import settings
from redis.exceptions import ConnectionError as NoConnection

from games.engine.game import SIDES, Side
from voting.ballot_box.box_types import (
    MAX_BATCH,
    BoxedTurn,
    BoxLost,
    BoxRef,
    BoxState,
    CastReply,
    PlaceResult,
    Prefetched,
    PresenceCounts,
    Sealed,
    Storing,
    TooEarly,
    decode_stored_ballots,
    encode_batch,
    event_key,
    in_order,
    turn_keys,
)
from voting.ballot_box.closing_lease import ClosingLease
from voting.ballot_box.heartbeats import fresh_heartbeats
from voting.ballot_box.sealed_lists import (
    BATCH_BALLOTS,
    merge_shards,
    read_arrivals,
    read_batches,
    read_seal,
    read_sealed,
)
from voting.ballot_box.shards import Shard
from voting.ballot_box.stores import connect, execute_all, load_script, run_all
from voting.counting.ballots import Ballot

EXPIRE_AFTER_MS = 600 * 1000
SCAN_COUNT = 1_000
TOKEN_BYTES = 8
RESTORER, WORKER = "restorer", "worker"
NOTHING = Prefetched()


def _state_commands(turn: BoxRef) -> Iterator[tuple[str, ...]]:
    for shard in Shard.all(turn.shards):
        box, ballots, _ = turn_keys(turn.event_id, turn.turn_id, shard)
        yield from (("HMGET", box, "version", "older", "stored", *SIDES), ("HLEN", ballots))
    yield "HVALS", event_key(turn.event_id, "gateways")


def _is_consistent(box: Any, ballots: Any, version: int) -> bool:
    if not isinstance(box, list) or not isinstance(ballots, int):
        return False
    known, older, stored, *counts = box
    if not known or older or stored == b"pending":
        return False
    return int(known) >= version and ballots == sum(int(n or 0) for n in counts)


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
        args = (int(create), *turn.window)
        results = [self._place(keys=part.keys, args=args) for part in turn.parts]
        return PlaceResult(PlaceResult.LOST if PlaceResult.LOST in results else max(results))

    def place_all(self, turns: Sequence[BoxedTurn]) -> set[int]:
        """Create the boxes of several turns in one pipeline. Returns the ids of those that are up to date."""
        parts = [part for turn in turns for part in turn.parts]
        answers = run_all(self._redis, self._place, [(part.keys, (1, *part.window)) for part in parts])
        pairs = zip(parts, answers, strict=True)
        return {turn.turn_id for turn in turns} - {
            part.turn_id for part, answer in pairs if answer != PlaceResult.DONE
        }

    def load_ballots(self, turn: BoxedTurn) -> tuple[Ballot, ...]:
        """Return all ballots of the turn, in order of arrival."""
        hashes = [self._redis.hgetall(part.keys[1]) for part in turn.parts]
        return in_order(
            chain(*(decode_stored_ballots(ballots.keys(), ballots.values()) for ballots in hashes))
        )

    def confirm_stored(self, turn: BoxedTurn) -> None:
        """Record that the ballots cast before the turn's ballots were `stored` are in the database, too."""
        for part in turn.parts:
            self._redis.hset(part.keys[0], "stored", "done")

    def inspect(self, turns: Sequence[BoxRef]) -> dict[int, BoxState]:
        """Return the state of each turn's box, by turn id. A single server is asked in one pipeline."""
        answers = iter(execute_all(self._redis, [ask for turn in turns for ask in _state_commands(turn)]))
        now, states = self.now(), {}
        for turn in turns:
            parts = [(next(answers), next(answers)) for _ in range(turn.shards)]
            heartbeats = next(answers)
            gateways = fresh_heartbeats(heartbeats if isinstance(heartbeats, list) else (), now)
            voters = sum(int(one) + int(two) for _, _, one, two, _ in gateways)
            ballots = sum(count for _, count in parts if isinstance(count, int))
            is_consistent = all(_is_consistent(box, count, turn.version) for box, count in parts)
            states[turn.turn_id] = BoxState(is_consistent, ballots, voters, len(gateways))
        return states

    def find_inconsistent(self, turns: Sequence[BoxRef]) -> set[int]:
        """Return the ids of turns whose box must be repaired."""
        return {turn_id for turn_id, state in self.inspect(turns).items() if not state.is_consistent}

    def prefetch(self, turn: BoxedTurn) -> Prefetched:
        """Read the ballots before the deadline, so that `seal` returns sooner; none if the box is lost."""
        token = secrets.token_hex(TOKEN_BYTES)
        begun = [self._prefetch(keys=part.keys, args=(turn.epoch, token)) for part in turn.parts]
        parts = [part for part, has_begun in zip(turn.parts, begun, strict=True) if has_begun]
        return Prefetched(token, merge_shards([read_batches(self._redis, part) for part in parts]))

    def catch_up(self, turn: BoxedTurn, prefetched: Prefetched) -> Prefetched:
        """Return the prefetched ballots with those that have arrived since."""
        read = [read_arrivals(self._redis, part, prefetched.arrivals_read_of(part)) for part in turn.parts]
        ballots = prefetched.merge(merge_shards([ballots for ballots, _ in read]))
        return Prefetched(prefetched.token, ballots, tuple(count for _, count in read))

    def seal_all(
        self, turns: Sequence[BoxedTurn], prefetched: Prefetched = NOTHING
    ) -> dict[int, TooEarly | BoxLost | Sealed]:
        """Freeze the ballots of these versions of the turns, once and for all. Idempotent.

        Returns the reply for each turn by its id, or for each of several that the box answered. The result is
        the same with the `prefetched` ballots of a single turn as without. If only some shards get sealed,
        the next call returns the same lists for them.
        """
        parts = [part for turn in turns for part in turn.parts]
        calls = [
            (
                part.keys,
                (*part.window, prefetched.token, BATCH_BALLOTS, prefetched.arrivals_read_of(part)),
            )
            for part in parts
        ]
        if len(turns) == 1:
            answers = [self._seal(keys=keys, args=args) for keys, args in calls]
        else:
            answers = run_all(self._redis, self._seal, calls)
        by_turn: dict[int, list[Any]] = {turn.turn_id: [] for turn in turns}
        for part, answer in zip(parts, answers, strict=True):
            arrivals_read = prefetched.arrivals_read_of(part)
            by_turn[part.turn_id].append(read_sealed(self._redis, part, answer, arrivals_read))
        read = {
            turn_id: read_seal(answers, prefetched)
            for turn_id, answers in by_turn.items()
            if all(isinstance(answer, list) for answer in answers)
        }
        sealed = {turn_id: seal for turn_id, seal in read.items() if seal is not None}
        return sealed if len(sealed) == len(read) else self.seal_all(turns)

    def cast(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> None:
        """Put ballots back into a box that was lost."""
        for part, own in turn.split(ballots):
            for start in range(0, len(own), MAX_BATCH):
                batch = encode_batch(own[start : start + MAX_BATCH])
                self._cast(keys=part.keys, args=(turn.epoch, batch, RESTORER, 0, *part.shard))

    def cast_new(self, turn: BoxedTurn, ballots: Sequence[Ballot]) -> CastReply:
        """Cast up to MAX_BATCH ballots by the rules for gateways: in the window, with the side's clock."""
        replies, storing = dict[Shard, Iterator[int]](), Storing.NOT
        for part, own in turn.split(ballots):
            args = (turn.epoch, encode_batch(own), WORKER, 0, *part.shard)
            reply = self._cast(keys=part.keys, args=args)
            *answers, _, stored = msgspec.msgpack.decode(reply, type=list[int])
            replies[part.shard], storing = iter(answers), max(storing, Storing(stored))
        shards = [Shard.of(ballot.voter, turn.shard.total) for ballot in ballots]
        return CastReply([next(replies[shard]) for shard in shards], storing)

    def ballot_counts(self, turn: BoxedTurn) -> dict[Side, int]:
        """Return the number of ballots in the box for each side."""
        parts = [self._redis.hmget(part.keys[0], SIDES) for part in turn.parts]
        return {side: sum(int(n or 0) for n in counts) for side, *counts in zip(SIDES, *parts, strict=True)}

    def picked_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """Return since when each side has a ballot (Unix ms); 0 if the time was not recorded.

        Matches with clocks have one shard.
        """
        fields = [name for side in SIDES for name in (side, f"{side}_at")]
        values = [int(value or 0) for value in self._redis.hmget(turn_keys(event_id, turn_id)[0], fields)]
        return {side: values[2 * index + 1] for index, side in enumerate(SIDES) if values[2 * index]}

    def all_voted_at(self, event_id: int, turn_id: int) -> dict[Side, int]:
        """Return the sides whose connected voters have all voted, and since when (Unix ms)."""
        values = self._redis.hmget(turn_keys(event_id, turn_id)[0], [f"{side}_done" for side in SIDES])
        return {side: int(at) for side, at in zip(SIDES, values, strict=True) if at}

    def expire(self, turn: BoxRef) -> None:
        """Expire a closed turn's keys after EXPIRE_AFTER_MS, so that late requests still get a reply."""
        self.expire_all([turn])

    def expire_all(self, turns: Iterable[BoxRef]) -> None:
        """`expire` for several turns, in one pipeline."""
        parts = ((turn, shard) for turn in turns for shard in Shard.all(turn.shards))
        keys = [key for turn, shard in parts for key in turn_keys(turn.event_id, turn.turn_id, shard)]
        execute_all(self._redis, [("PEXPIRE", key, EXPIRE_AFTER_MS) for key in keys])

    def count_present(self, event_id: int) -> PresenceCounts:
        """Return the presence that all gateways reported last, in total; `waiting` stays (0, 0)."""
        now = self.now()
        gateways, watchers = (
            fresh_heartbeats(self._redis.hvals(event_key(event_id, name)), now)
            for name in ("gateways", "watchers")
        )
        one, two = (sum(int(row[index]) for row in gateways) for index in (2, 3))
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

    def find_ballots(self, event_id: int, turn_id: int, voters: Sequence[str], shards: int = 1) -> set[str]:
        """Return those of the voters who have a ballot in the turn, without reading the ballots."""
        keys = [turn_keys(event_id, turn_id, Shard.of(voter, shards))[1] for voter in voters]
        answers = execute_all(self._redis, [("HEXISTS", *pair) for pair in zip(keys, voters, strict=True)])
        if None in answers:
            raise NoConnection("a shard of the ballot box is away")
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
        return len({key.rpartition(b":")[2] for key in keys if b":ballots" in key})

    def close(self) -> None:
        self._redis.close()
