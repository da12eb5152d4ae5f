"""The results of a run, round by round."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

import msgspec

from crowdgame.rehearsal.rehearsal_report import BallotTotals
from crowdgame.rehearsal.samples import Spread
from tests.load.bench.events import SharedDeadline, SmallEvent
from tests.load.bench.measurements import Fanout, Rate

Round = TypeVar("Round", Rate, Fanout)


class Comparison(msgspec.Struct, frozen=True):
    """All measurements under one server, by contender, and of pages by name.

    `phones`: sockets per contender; `audience`: sockets of a broadcast; `memory`: KiB per connection.
    """

    server: str
    phones: int
    audience: int
    memory: dict[str, float]
    votes: dict[str, list[Rate]]
    fanout: dict[str, list[Fanout]]
    pages: dict[str, list[Rate]]

    @property
    def rounds(self) -> dict[str, list[Rate]]:
        return self.votes | self.pages


class LoadRun(msgspec.Struct, frozen=True):
    """The result of one rehearsal. `together_ms`: until all phones that were disconnected at once were back.

    `cpu_s` is by process, with the crowd as `crowd`, over `wall_s` including joining. For `busy_s` the crowd
    used too much of a core for reliable times. `turn_cpu_us` is the CPU of gateways and store per phone and
    turn since the start of the match, with a receipt for each ballot of all turns but the last.
    """

    server: str
    profile: str
    phones: int
    joined: int
    turns: int
    ballots: BallotTotals
    ack_ms: Spread | None
    sealed_ms: Spread | None
    resolved_ms: Spread | None
    reveal_ms: Spread | None
    last_reveal_ms: Spread | None
    joined_in_ms: float | None
    together_ms: float | None
    busy_s: float
    cpu_s: dict[str, float]
    turn_cpu_us: float
    wall_s: float

    @property
    def crowd_share(self) -> float:
        return self.cpu_s["crowd"] / sum(self.cpu_s.values())


class ChatRun(msgspec.Struct, frozen=True):
    """`lost` are votes of the chat that no turn counted. `alone` and `beside` are acknowledgments in ms."""

    server: str
    phones: int
    chatters: int
    sent: int
    lost: int
    alone: Spread
    beside: Spread


class BenchResults(msgspec.Struct, frozen=True):
    comparisons: list[Comparison]
    load_runs: list[LoadRun] = []
    shared_deadlines: list[SharedDeadline] = []
    small_events: list[SmallEvent] = []
    chats: list[ChatRun] = []


def paired(ours: Sequence[Round], other: Sequence[Round], of: Callable[[Round], float]) -> float:
    """The median ratio of adjacent rounds, so that drift affects both sides."""
    return median(of(mine) / of(theirs) for mine, theirs in zip(ours, other, strict=True))


def middle(rounds: Sequence[Round], of: Callable[[Round], float]) -> float:
    return median(of(measured) for measured in rounds)
