"""What a ballot box is told and answers, and the names of its keys."""

from dataclasses import dataclass
from enum import IntEnum

from voting.counting.ballots import Ballot


class CastResult(IntEnum):
    """The box's answer to a ballot; below 0 it is minus the voter's higher sequence.

    BUSY is the intake's own: too many ballots wait for a box that is away.
    """

    OK = 1
    DUPLICATE = 2
    LATE = 3
    UNKNOWN = 4
    EARLY = 5
    BUSY = 6


@dataclass(frozen=True, slots=True)
class BoxedTurn:
    """A turn as the box knows it.

    In a match by clocks each side has its own end, and the box notes when it picked; else they are 0.
    """

    event_id: int
    turn_id: int
    version: int
    epoch: int
    opens_at: int
    closes_at: int
    red_ends_at: int = 0
    yellow_ends_at: int = 0

    @property
    def window(self) -> tuple[int, ...]:
        return self.version, self.epoch, self.opens_at, self.closes_at, self.red_ends_at, self.yellow_ends_at

    @property
    def keys(self) -> list[str]:
        return turn_keys(self.event_id, self.turn_id)


@dataclass(frozen=True, slots=True)
class TooEarly:
    closes_at: int


@dataclass(frozen=True, slots=True)
class BoxLost:
    """The box does not hold the turn (any more)."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """The ballots in order of arrival; `sealed_at` is when the box first froze them."""

    ballots: tuple[Ballot, ...]
    sealed_at: int


@dataclass(frozen=True, slots=True)
class PresenceCounts:
    """Whom a gateway holds: voters `connected` a team, of red and yellow those yet to vote, who looks on."""

    connected: tuple[int, int] = (0, 0)
    waiting: tuple[int, int] = (0, 0)
    watching: int = 0


@dataclass(frozen=True, slots=True)
class Turnout:
    """`connected` a team; `waiting` those yet to vote, None while unsure; `red` and `yellow` have voted.

    In a match by clocks `picked_at` is since when a side has its ballot, 0 if it has none, and `all_voted_at`
    since when everybody of it who is connected has. `watching` only look on.

    Whoever has just gone is waited for, for BACK_WITHIN_MS: a lost line is not a vote.
    """

    now: int
    connected: tuple[int, int]
    waiting: int | None
    red: int
    yellow: int
    picked_at: tuple[int, int] = (0, 0)
    all_voted_at: tuple[int, int] = (0, 0)
    watching: int = 0


@dataclass(slots=True)
class AcknowledgedArrivals:
    """How many `arrivals` the box told of when it last answered, in this turn and epoch.

    One that remembers fewer for this client has come back from an older copy, without ballots that were
    acknowledged.
    """

    turn_ref: tuple[int, int]
    arrivals: int = 0


def event_key(event_id: int, name: str) -> str:
    return f"crowdgame:{{{event_id}}}:{name}"


def turn_keys(event_id: int, turn_id: int) -> list[str]:
    """Their names number the format a ballot is kept in: what is kept in another is not found.

    A blind at the end is no other format: servers of before it, beside this one in an upgrade, pass over it.
    """
    return [event_key(event_id, f"box2:{turn_id}"), event_key(event_id, f"ballots2:{turn_id}")]
