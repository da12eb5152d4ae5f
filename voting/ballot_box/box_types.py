"""What the clients of the ballot box share: arguments, results, encoding, and names of keys."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import attrgetter
from typing import NamedTuple

import msgspec

from voting.ballot_box.shards import ARRIVAL_STEP, ONE_SHARD, Shard, shard_tags
from voting.counting.ballots import Ballot
from voting.protocol import NO_FIGURES, BoxFigures

MAX_BATCH = 2_000

_decode_ballots = msgspec.json.Decoder(list[Ballot]).decode
encode_batch = msgspec.msgpack.Encoder().encode


class TeamWish(NamedTuple):
    """A new voter's wish for a `team`; 0 joins the smaller one. It is granted.

    A team that `is_offered` was not the voter's choice, and is granted unless it is larger by more than a
    twentieth of all voters.
    """

    team: int
    is_offered: bool = False


ANY_TEAM = TeamWish(0)


class CastResult(IntEnum):
    """The box's reply to a ballot. A negative number is minus the voter's higher sequence, which stays.

    BUSY comes from the intake: too many ballots are pending while Redis is away (backpressure).
    """

    OK = 1
    DUPLICATE = 2
    LATE = 3  # a late vote; there is no grace period after the deadline
    UNKNOWN = 4
    EARLY = 5
    BUSY = 6


class Storing(IntEnum):
    """Whether gateways write a turn's counted ballots to the database.

    FIRST: before they are acknowledged. SOON: too, but while the database is away, they are acknowledged and
    written later. The database then only keeps the time of a pick, in case that the ballot box is lost.
    """

    NOT = 0
    FIRST = 1
    SOON = 2


class CastReply(NamedTuple):
    """The box's reply to a batch: for each ballot a `CastResult`, or minus the voter's higher sequence.

    `stored` says whether counted ballots must be written to the database.
    """

    answers: list[int]
    stored: Storing = Storing.NOT


class BoxRef(NamedTuple):
    """A version of a turn, and the number of shards of its box."""

    event_id: int
    turn_id: int
    version: int
    shards: int = 1


@dataclass(frozen=True, slots=True)
class BoxedTurn:
    """A turn as the ballot box stores it; times are Unix milliseconds.

    In a match with clocks each side has its own end, and the box records when it picked; otherwise they are
    0. `stored` says whether gateways write its ballots to the database.
    """

    event_id: int
    turn_id: int
    version: int
    epoch: int
    opens_at: int
    closes_at: int
    red_ends_at: int = 0
    yellow_ends_at: int = 0
    stored: Storing = Storing.NOT
    shard: Shard = ONE_SHARD

    @property
    def window(self) -> tuple[int, ...]:
        """The arguments of `place.lua` and `seal.lua`, in their order."""
        times = self.opens_at, self.closes_at, self.red_ends_at, self.yellow_ends_at
        return self.version, self.epoch, *times, int(self.stored)

    @property
    def keys(self) -> list[str]:
        """The Redis keys of this part of the turn (see `turn_keys`)."""
        return turn_keys(self.event_id, self.turn_id, self.shard)

    @property
    def parts(self) -> "tuple[BoxedTurn, ...]":
        """The turn, once for each shard."""
        return tuple(replace(self, shard=shard) for shard in Shard.all(self.shard.total))

    @property
    def ref(self) -> BoxRef:
        return BoxRef(self.event_id, self.turn_id, self.version, self.shard.total)

    def split(self, ballots: Iterable[Ballot]) -> "list[tuple[BoxedTurn, list[Ballot]]]":
        """Return the parts that ballots are for, with these ballots."""
        by_shard: dict[Shard, list[Ballot]] = {}
        for ballot in ballots:
            by_shard.setdefault(Shard.of(ballot.voter, self.shard.total), []).append(ballot)
        return [(replace(self, shard=shard), own) for shard, own in by_shard.items()]


class PlaceResult(IntEnum):
    """The box's reply to a turn: LOST if there is no box. If UNSTORED, its ballots have yet to be stored."""

    LOST = 0
    DONE = 1
    UNSTORED = 2


@dataclass(frozen=True, slots=True)
class TooEarly:
    """The window is still open; `closes_at` is its deadline (Unix ms)."""

    closes_at: int


@dataclass(frozen=True, slots=True)
class BoxLost:
    """The box does not hold the turn, or not all of its ballots."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """The ballots in order of arrival; `sealed_at` is when the box first froze them (Unix ms)."""

    ballots: tuple[Ballot, ...]
    sealed_at: int


@dataclass(frozen=True, slots=True)
class Prefetched:
    """The ballots that a turn had before its deadline, in order of arrival; `token` names this prefetch.

    `arrivals_read` is how many arrivals after the prefetch are included, by the number of the shard.
    """

    token: str = ""
    ballots: tuple[Ballot, ...] = ()
    arrivals_read: tuple[int, ...] = ()

    def arrivals_read_of(self, part: BoxedTurn) -> int:
        return self.arrivals_read[part.shard.number] if self.arrivals_read else 0

    def merge(self, after: Sequence[Ballot], shards: Collection[int] = ()) -> tuple[Ballot, ...]:
        """Return these ballots and those that arrived after them, in order of arrival.

        A revote replaces the voter's ballot. Of `shards`, `after` has all ballots.
        """
        if not after and not shards:
            return self.ballots
        replaced, known = {ballot.voter for ballot in after}, self.ballots
        if shards:
            known = tuple(ballot for ballot in known if ballot.arrival % ARRIVAL_STEP not in shards)
        return (*(ballot for ballot in known if ballot.voter not in replaced), *after)


@dataclass(frozen=True, slots=True)
class PresenceCounts:
    """The clients of a gateway: `connected` voters of teams 1 and 2, and `watching` spectators.

    `waiting` are the voters of red and yellow who have not voted yet.
    """

    connected: tuple[int, int] = (0, 0)
    waiting: tuple[int, int] = (0, 0)
    watching: int = 0


@dataclass(frozen=True, slots=True)
class PresenceReport:
    """What a gateway reports in a heartbeat: the argument of `heartbeat.lua`.

    `client` is the gateway's name in `cast.lua`, and `acknowledged` the arrivals last acknowledged to it.
    `turn` is the turn's id and epoch. The other figures are those of `PresenceCounts`.
    """

    gateway: str
    client: str
    turn: str
    epoch: int
    connected: tuple[int, int]
    waiting: tuple[int, int]
    watching: int
    acknowledged: int
    stale_ms: int
    reconnect_grace_ms: int


@dataclass(frozen=True, slots=True)
class Turnout:
    """Presence and turnout over all gateways.

    `connected` are the voters of teams 1 and 2, `red` and `yellow` the ballots of each side, and `watching`
    the spectators. `waiting` voters have not voted yet; None while the number is not known.

    In a match with clocks, `picked_at` is since when a side has its ballot, and `all_voted_at` since when all
    its connected voters have voted (Unix ms, 0 if not).

    A voter who disconnects still counts as "not voted" for RECONNECT_GRACE_MS: a lost connection is not a
    vote.
    """

    now: int
    connected: tuple[int, int]
    waiting: int | None
    red: int
    yellow: int
    picked_at: tuple[int, int] = (0, 0)
    all_voted_at: tuple[int, int] = (0, 0)
    watching: int = 0
    figures: BoxFigures = NO_FIGURES

    def add(self, red: int, yellow: int, changed: int) -> "Turnout":
        """Return the turnout with the ballots of one more shard."""
        figures = msgspec.structs.replace(self.figures, changed=self.figures.changed + changed)
        return replace(self, red=self.red + red, yellow=self.yellow + yellow, figures=figures)

    @property
    def voted(self) -> int:
        return self.red + self.yellow

    @property
    def clocks_stopped(self) -> tuple[bool, bool]:
        """Whether the clock of red and of yellow stands, in a match with clocks of crowds."""
        return bool(self.all_voted_at[0]), bool(self.all_voted_at[1])


@dataclass(frozen=True, slots=True)
class BoxState:
    """The state of a turn's box. `voters` are connected to its event, at the `gateways` that hold any.

    `is_consistent` is False if the box is corrupt, outdated or missing, so that `place` must repair it.
    """

    is_consistent: bool
    ballots: int
    voters: int
    gateways: int


@dataclass(slots=True)
class AcknowledgedArrivals:
    """The number of arrivals in the box's last reply, for one turn and epoch.

    A box that remembers fewer for this client was restored from an older copy, without acknowledged ballots.
    """

    turn_ref: tuple[int, int]
    arrivals: int = 0


def event_key(event_id: int, name: str) -> str:
    """Return a key of the event, with the event id as the cluster's hash tag."""
    return f"crowdgame:{{{event_id}}}:{name}"


def turn_keys(event_id: int, turn_id: int, shard: Shard = ONE_SHARD) -> list[str]:
    """Return the keys of a turn: its box, its ballots, and whose ballots arrived after a prefetch.

    The key names carry the version of the ballot format, so that other formats are not found. The trailing
    blinding factor did not change the version: older servers ignore it during an upgrade.
    """
    tag = shard_tags(event_id, shard.total)[shard.number] if shard.total > 1 else str(event_id)
    return [f"crowdgame:{{{tag}}}:{name}:{turn_id}" for name in ("box2", "ballots2", "prefetch")]


def decode_stored_ballots(voters: Iterable[bytes], texts: Iterable[bytes]) -> tuple[Ballot, ...]:
    """Return the ballots in order of arrival."""
    return in_order(decode_unordered(voters, texts))


def decode_unordered(voters: Iterable[bytes], texts: Iterable[bytes]) -> list[Ballot]:
    """Return the ballots in the given order. Decodes them in one call, because a reveal waits for it."""
    rows = map(b'["%b",%b]'.__mod__, zip(voters, texts, strict=True))
    return _decode_ballots(b"[" + b",".join(rows) + b"]")


def in_order(ballots: Iterable[Ballot]) -> tuple[Ballot, ...]:
    """Return the ballots in order of arrival."""
    return tuple(sorted(ballots, key=attrgetter("arrival")))
