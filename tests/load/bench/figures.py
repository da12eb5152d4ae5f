"""What a run found, and the ratios that follow."""

from statistics import median

import msgspec

from tests.load.bench.fanout import Fanout
from tests.load.bench.rate import Rate
from voting.rehearsal.report import Ballots, Spread

A_HALL = 10_000
PER = (("a second", "a_second"), ("a CPU second", "a_cpu_second"))


class Rates(msgspec.Struct, frozen=True):
    """Medians of the rounds. `server_share`: how much of a core the server had, below 1 while others took it.

    `load_share`: the load generator's use of its own core, at worst.
    """

    a_second: float
    a_cpu_second: float
    server_share: float
    load_share: float


class Fanouts(msgspec.Struct, frozen=True):
    """Milliseconds, medians of the rounds: until the last line had it, and of the server's CPU."""

    wall_ms: float
    cpu_ms: float


class Evening(msgspec.Struct, frozen=True):
    """Of the rehearsal."""

    phones: int
    turns: int
    ballots: Ballots
    crowd_share: float
    ack_ms: Spread | None
    resolved_ms: Spread | None
    last_told_ms: Spread | None


class Figures(msgspec.Struct, frozen=True):
    """By contender, and pages by name; memory in KiB a connection."""

    phones: int
    memory: dict[str, float]
    votes: dict[str, Rates]
    fanout: dict[str, Fanouts]
    pages: dict[str, Rates]
    evening: Evening


class Ratio(msgspec.Struct, frozen=True):
    """`ours` and `other` as they are shown; `goal` as "≥ 3", empty if there is none.

    A goal that is `meant_for` more phones than there were is neither met nor missed.
    """

    what: str
    ours: str
    other: str
    ratio: float | None
    goal: str = ""
    phones: int = 0
    meant_for: int = 0

    @property
    def met(self) -> bool | None:
        if not self.goal or self.ratio is None or self.phones < self.meant_for:
            return None
        sign, limit = self.goal.split()[:2]
        return self.ratio >= float(limit) if sign == "≥" else self.ratio <= float(limit)


def rates_of(rounds: list[Rate]) -> Rates:
    return Rates(
        median(rate.a_second for rate in rounds),
        median(rate.a_cpu_second for rate in rounds),
        median(rate.cpu_s / rate.wall_s for rate in rounds),
        max(rate.load_share for rate in rounds),
    )


def fanouts_of(rounds: list[Fanout]) -> Fanouts:
    walls, cpus = [r.wall_s * 1000 for r in rounds], [r.cpu_s * 1000 for r in rounds]
    return Fanouts(median(walls), median(cpus))


def ratios_of(found: Figures) -> list[Ratio]:
    return [*_of_votes(found), *_of_fanout(found), *_of_rest(found), *_of_evening(found.evening)]


def _of_votes(found: Figures) -> list[Ratio]:
    ours, echo, stock = (found.votes[name] for name in ("ours", "echo", "stock"))
    pairs = [("bare echo", echo, "≥ 0.75"), ("stock app", stock, "≥ 3")]
    return [
        Ratio(
            f"ballots recorded {per} ÷ {what}",
            f"{getattr(ours, name):,.0f}",
            f"{getattr(other, name):,.0f}",
            getattr(ours, name) / getattr(other, name),
            goal,
        )
        for what, other, goal in pairs
        for per, name in PER
    ]


def _of_fanout(found: Figures) -> list[Ratio]:
    ours, stock = found.fanout["ours"], found.fanout["stock"]
    return [
        Ratio(
            f"broadcast to {found.phones:,}, server CPU ÷ core layer's",
            f"{ours.cpu_ms:,.0f} ms",
            f"{stock.cpu_ms:,.0f} ms",
            ours.cpu_ms / stock.cpu_ms,
            "≤ 0.33",
            found.phones,
            A_HALL,
        ),
        Ratio(
            f"broadcast to {found.phones:,}, last client ÷ core layer's",
            f"{ours.wall_ms:,.0f} ms",
            f"{stock.wall_ms:,.0f} ms",
            ours.wall_ms / stock.wall_ms,
        ),
    ]


def _of_rest(found: Figures) -> list[Ratio]:
    memory, page, view = found.memory, found.pages["phone page"], found.pages["login page"]
    return [
        *(
            Ratio(
                f"phone pages {per} ÷ login page, a Django view",
                f"{getattr(page, name):,.0f}",
                f"{getattr(view, name):,.0f}",
                getattr(page, name) / getattr(view, name),
                "≥ 10",
            )
            for per, name in PER
        ),
        Ratio(
            "memory a phone ÷ a raw ASGI connection's",
            f"{memory['ours']:.1f} KiB",
            f"{memory['echo']:.1f} KiB",
            memory["ours"] / memory["echo"],
            "≤ 1.3",
        ),
    ]


def _of_evening(evening: Evening) -> list[Ratio]:
    worst, phones = f"worst of {evening.turns} turns", evening.phones
    named = [
        (f"deadline → resolved, {worst}", evening.resolved_ms, "≤ 50 ms"),
        (f"deadline → last of {phones:,} phones has the reveal, {worst}", evening.last_told_ms, "≤ 600 ms"),
        (f"ballot → counted, p99 of {phones:,} phones", evening.ack_ms, "≤ 250 ms"),
    ]
    return [
        Ratio(what, f"{spread.p99:,.0f} ms", "", spread.p99, goal, phones, A_HALL)
        for what, spread, goal in named
        if spread is not None
    ]
