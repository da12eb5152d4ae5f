"""The table of benchmarks: each row is one entry of `BENCHMARKS`, with the function that measures it."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from tests.load.bench.results import BenchResults, Comparison, LoadRun, middle, paired

WHOLE_CORE = 0.9
FULL_AUDIENCE = 10_000
FULL_CROWD = {"daphne": FULL_AUDIENCE, "uvicorn": 18_000}
COMPARATORS = {"≥": operator.ge, "≤": operator.le}
COUNT, MS, US, KIB = "{:,.0f}", "{:,.0f} ms", "{:,.0f} µs", "{:.1f} KiB"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """`value` is a ratio if there is a `reference`. `goal` is like "≥ 3", empty if there is none.

    `not_judged`: why the goal was not judged; `key`: the name of a row that is compared with the baseline.
    """

    server: str
    what: str
    measured: str
    reference: str = ""
    value: float
    goal: str = ""
    not_judged: str = ""
    key: str = ""

    @property
    def met(self) -> bool | None:
        if not self.goal or self.not_judged:
            return None
        sign, limit = self.goal.split()[:2]
        return bool(COMPARATORS[sign](self.value, float(limit)))


class Ratio(NamedTuple):
    value: float
    ours: float
    reference: float


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A row for each result whose `kinds` include one of `kinds`.

    `measure` returns a value or a ratio of two; None misses the goal. `goal` may depend on the attributes
    `goal_by` of the result. `not_judged` returns why the goal is not judged, if so. A row with `quick` is
    compared with the baseline by `make bench-quick`, under its `name`; `title` is printed, if it differs.
    Both are filled in with the result as `r`.
    """

    kinds: tuple[str, ...]
    name: str
    measure: Callable[[Any], Ratio | float | None]
    goal: str | Mapping[Any, str] = ""
    unit: str = COUNT
    not_judged: Callable[[Any], str] = lambda result: ""
    quick: bool = False
    title: str = ""
    goal_by: Callable[[Any], object] = attrgetter("server")

    def row(self, result: Any) -> Row:
        match self.measure(result):
            case Ratio(value, ours, theirs):
                measured, reference = self.unit.format(ours), self.unit.format(theirs)
            case None:
                value, measured, reference = float("inf"), "never", ""
            case value:
                measured, reference = self.unit.format(value), ""
        return Row(
            server=result.server,
            what=(self.title or self.name).format(r=result),
            measured=measured,
            reference=reference,
            value=value,
            goal=self.goal if isinstance(self.goal, str) else self.goal.get(self.goal_by(result), ""),
            not_judged=self.not_judged(result),
            key=f"{result.server}: {self.name}" if self.quick else "",
        )


def build_rows(found: BenchResults) -> list[Row]:
    results: tuple[Any, ...] = (
        *found.comparisons,
        *found.load_runs,
        *found.shared_deadlines,
        *found.small_events,
    )
    return [
        benchmark.row(result)
        for result in results
        for benchmark in BENCHMARKS
        if set(benchmark.kinds) & set(result.kinds)
    ]


def compare_rates(ours: str, other: str, per: str) -> Callable[[Comparison], Ratio]:
    """The median ratio of adjacent rounds, and the median rates."""
    of = attrgetter(per)

    def measure(found: Comparison) -> Ratio:
        mine, theirs = found.rounds[ours], found.rounds[other]
        return Ratio(paired(mine, theirs, of), middle(mine, of), middle(theirs, of))

    return measure


def rate_rows(name: str, ours: str, other: str, goal: str | Mapping[str, str]) -> tuple[Benchmark, Benchmark]:
    """Rates by server CPU, and by wall time, which are valid only for servers that used a whole core."""

    def short_of_core(found: Comparison) -> str:
        share = middle(found.rounds[ours] + found.rounds[other], attrgetter("server_share"))
        return "" if share >= WHOLE_CORE else f"the servers used {share:.0%} of their core"

    by_cpu, by_time = (compare_rates(ours, other, per) for per in ("per_cpu_second", "per_second"))
    return (
        Benchmark(COMPARISON, name.replace(" ÷", " per CPU second ÷"), by_cpu, goal, quick=True),
        Benchmark(COMPARISON, name.replace(" ÷", " per second ÷"), by_time, goal, not_judged=short_of_core),
    )


def compare_broadcasts(of: str) -> Callable[[Comparison], Ratio]:
    def measure(found: Comparison) -> Ratio:
        ours, stock = (middle(found.fanout[name], attrgetter(of)) for name in ("crowdgame", "stock"))
        return Ratio(ours / stock, ours, stock)

    return measure


def compare_memory(found: Comparison) -> Ratio:
    ours, echo = found.memory["crowdgame"], found.memory["echo"]
    return Ratio(ours / echo, ours, echo)


def small_audience(found: Comparison) -> str:
    return _too_few(found.audience, FULL_AUDIENCE)


def small_crowd(found: LoadRun) -> str:
    return _too_few(found.phones, FULL_CROWD[found.server])


def _too_few(phones: int, meant_for: int) -> str:
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""


def spread(times: str, percentile: str) -> Callable[[LoadRun], float | None]:
    return lambda found: getattr(getattr(found, times), percentile, None)


COMPARISON, TURNS, HERD, LOAD_RUN = ("comparison",), ("spread", "burst"), ("herd",), ("load run",)
SHARED_DEADLINE = ("shared deadline",)
STOCK_APP = {"daphne": "≥ 3", "uvicorn": "≥ 6"}
ACKNOWLEDGED = {
    (10_000, "spread"): "≤ 250 ms",
    (10_000, "burst"): "≤ 400 ms",
    (18_000, "spread"): "≤ 200 ms",
    (18_000, "burst"): "≤ 200 ms",
    (50_000, "spread"): "≤ 400 ms",
}
LAST_REVEAL = {10_000: "≤ 180 ms", 18_000: "≤ 300 ms", 50_000: "≤ 1000 ms"}
RECONNECTED = {10_000: "≤ 3500 ms", 18_000: "≤ 3500 ms"}
CROWD = "{r.profile} of {r.phones:,}, "
DEADLINE = "{r.events} event(s) of {r.phones:,} phones with one deadline, "

BENCHMARKS = (
    *rate_rows("ballots recorded ÷ bare echo", "crowdgame", "echo", "≥ 0.45"),
    *rate_rows("ballots recorded ÷ stock app", "crowdgame", "stock", STOCK_APP),
    Benchmark(
        COMPARISON,
        "broadcast, server CPU ÷ stock app",
        compare_broadcasts("cpu_ms"),
        {"daphne": "≤ 0.33", "uvicorn": "≤ 0.2"},
        MS,
        small_audience,
        quick=True,
        title="broadcast to {r.audience:,}, server CPU ÷ stock app",
    ),
    Benchmark(
        COMPARISON,
        "broadcast to {r.audience:,}, time to last client ÷ stock app",
        compare_broadcasts("wall_ms"),
        unit=MS,
    ),
    Benchmark(COMPARISON, "memory per phone ÷ bare echo connection", compare_memory, "≤ 2", KIB, quick=True),
    Benchmark(
        ("two gateways",),
        "CPU per ballot, all processes: two gateways ÷ one",
        compare_rates("two gateways", "crowdgame", "us_per_ballot"),
        "≤ 1.1",
        US,
    ),
    *rate_rows("phone pages ÷ login pages (Django view)", "phone page", "login page", "≥ 10"),
    Benchmark(
        TURNS,
        CROWD + "ballot acknowledgement, p99",
        spread("ack_ms", "p99"),
        ACKNOWLEDGED,
        MS,
        small_crowd,
        goal_by=attrgetter("phones", "profile"),
    ),
    Benchmark(
        TURNS,
        CROWD + "deadline to seal, worst of {r.turns} turns",
        spread("sealed_ms", "max"),
        "≤ 50 ms",
        MS,
        small_crowd,
    ),
    Benchmark(
        TURNS,
        CROWD + "deadline to last received reveal, worst of {r.turns} turns",
        spread("last_reveal_ms", "max"),
        LAST_REVEAL,
        MS,
        small_crowd,
        goal_by=attrgetter("phones"),
    ),
    Benchmark(
        TURNS,
        CROWD + "deadline to counted, worst of {r.turns} turns",
        spread("resolved_ms", "max"),
        {50_000: "≤ 250 ms"},
        MS,
        small_crowd,
        goal_by=attrgetter("phones"),
    ),
    Benchmark(LOAD_RUN, CROWD + "the crowd's share of CPU time", attrgetter("crowd_share"), unit="{:.0%}"),
    Benchmark(
        ("spread",),
        CROWD + "CPU of gateways and store, per phone and turn with receipts",
        attrgetter("turn_cpu_us"),
        {18_000: "≤ 190"},
        US,
        goal_by=attrgetter("phones"),
    ),
    Benchmark(
        HERD,
        CROWD + "mass disconnect to all reconnected",
        attrgetter("together_ms"),
        RECONNECTED,
        MS,
        small_crowd,
        goal_by=attrgetter("phones"),
    ),
    Benchmark(
        LOAD_RUN,
        CROWD + "lost of {r.ballots.acknowledged:,} acknowledged ballots",
        attrgetter("ballots.missing"),
        "≤ 0",
    ),
    Benchmark(TURNS, CROWD + "ballots not answered before the reveal", attrgetter("ballots.lost"), "≤ 0"),
    Benchmark(HERD, CROWD + "ballots not answered before the reveal", attrgetter("ballots.lost")),
    Benchmark(LOAD_RUN, CROWD + "phones not admitted", lambda found: found.phones - found.joined, "≤ 0"),
    Benchmark(
        SHARED_DEADLINE,
        DEADLINE + "last resolved",
        attrgetter("resolved_ms"),
        {20: "≤ 80 ms", 100: "≤ 200 ms", 300: "≤ 500 ms"},
        MS,
        goal_by=attrgetter("events"),
    ),
    Benchmark(SHARED_DEADLINE, DEADLINE + "last received reveal", attrgetter("revealed_ms"), unit=MS),
    Benchmark(SHARED_DEADLINE, DEADLINE + "seals per phone", attrgetter("seals"), "≤ 1"),
    Benchmark(
        SHARED_DEADLINE,
        DEADLINE + "phones without a seal before the reveal",
        attrgetter("without_seal"),
        "≤ 0",
    ),
    Benchmark(
        ("small event",),
        "a small event's change behind three of a {r.phones:,}-phone event",
        attrgetter("received_ms"),
        "≤ 300 ms",
        MS,
    ),
)
