"""The table of benchmarks: a row for each measurement, with its goal."""

import operator
from collections.abc import Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec

from tests.load.bench.events import SharedDeadline, SmallEvent
from tests.load.bench.results import BenchResults, ChatRun, Comparison, LoadRun, middle, paired

WHOLE_CORE = 0.9
FULL_AUDIENCE = 10_000
FULL_CROWD = {"daphne": FULL_AUDIENCE, "uvicorn": 18_000}
COMPARATORS = {"≥": operator.ge, "≤": operator.le}
COUNT, MS, US, KIB = "{:,.0f}", "{:,.0f} ms", "{:,.0f} µs", "{:.1f} KiB"
# Goals by the number of phones.
ACKNOWLEDGED = {
    "spread": {10_000: "≤ 250 ms", 18_000: "≤ 200 ms", 50_000: "≤ 400 ms"},
    "burst": {10_000: "≤ 400 ms", 18_000: "≤ 200 ms"},
}
LAST_REVEAL = {10_000: "≤ 180 ms", 18_000: "≤ 300 ms", 50_000: "≤ 1000 ms"}
RECONNECTED = {10_000: "≤ 3500 ms", 18_000: "≤ 3500 ms"}


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


def build_rows(found: BenchResults) -> list[Row]:
    return [
        *chain.from_iterable(map(_compare, found.comparisons)),
        *chain.from_iterable(map(_load_run, found.load_runs)),
        *chain.from_iterable(map(_shared_deadline, found.shared_deadlines)),
        *map(_small_event, found.small_events),
        *chain.from_iterable(map(_chat, found.chats)),
    ]


def _row(result: Any, what: str, value: float | None, unit: str = COUNT, **more: str) -> Row:
    """None misses the goal."""
    measured = "never" if value is None else unit.format(value)
    value = float("inf") if value is None else value
    return Row(server=result.server, what=what, measured=measured, value=value, **more)


def _ratio(
    found: Comparison | ChatRun, what: str, figures: Sequence[float], unit: str = COUNT, **more: Any
) -> Row:
    """`value` is the ratio of the two figures by default."""
    ours, reference = figures
    return Row(
        server=found.server,
        what=what,
        measured=unit.format(ours),
        reference=unit.format(reference),
        **{"value": ours / reference, **more},
    )


def _compare(found: Comparison) -> Iterator[Row]:
    yield from _rates(found, "ballots recorded {} ÷ bare echo", "crowdgame", "echo", "≥ 0.45")
    goal = {"daphne": "≥ 3", "uvicorn": "≥ 6"}[found.server]
    yield from _rates(found, "ballots recorded {} ÷ stock app", "crowdgame", "stock", goal)
    cpu, wall = (
        [middle(found.fanout[name], attrgetter(of)) for name in ("crowdgame", "stock")]
        for of in ("cpu_ms", "wall_ms")
    )
    yield _ratio(
        found,
        f"broadcast to {found.audience:,}, server CPU ÷ stock app",
        cpu,
        MS,
        goal={"daphne": "≤ 0.33", "uvicorn": "≤ 0.2"}[found.server],
        not_judged=_too_few(found.audience, FULL_AUDIENCE),
        key=f"{found.server}: broadcast, server CPU ÷ stock app",
    )
    yield _ratio(found, f"broadcast to {found.audience:,}, time to last client ÷ stock app", wall, MS)
    what = "memory per phone ÷ bare echo connection"
    kib = (found.memory["crowdgame"], found.memory["echo"])
    yield _ratio(found, what, kib, KIB, goal="≤ 2", key=f"{found.server}: {what}")
    if "two gateways" in found.votes:
        what = "CPU per ballot, all processes: two gateways ÷ one"
        yield _rate(found, what, "two gateways", "crowdgame", "us_per_ballot", unit=US, goal="≤ 1.1")
    yield from _rates(found, "phone pages {} ÷ login pages (Django view)", "phone page", "login page", "≥ 10")


def _rates(found: Comparison, what: str, ours: str, other: str, goal: str) -> Iterator[Row]:
    """Rates by server CPU, and by wall time, which are valid only for servers that used a whole core."""
    by_cpu = what.format("per CPU second")
    yield _rate(found, by_cpu, ours, other, "per_cpu_second", goal=goal, key=f"{found.server}: {by_cpu}")
    share = middle(found.rounds[ours] + found.rounds[other], attrgetter("server_share"))
    short = "" if share >= WHOLE_CORE else f"the servers used {share:.0%} of their core"
    yield _rate(found, what.format("per second"), ours, other, "per_second", goal=goal, not_judged=short)


def _rate(found: Comparison, what: str, ours: str, other: str, per: str, **more: Any) -> Row:
    """The median ratio of adjacent rounds, and the median rates."""
    mine, theirs, of = found.rounds[ours], found.rounds[other], attrgetter(per)
    return _ratio(found, what, (middle(mine, of), middle(theirs, of)), value=paired(mine, theirs, of), **more)


def _load_run(found: LoadRun) -> Iterator[Row]:
    crowd, phones = f"{found.profile} of {found.phones:,}, ", found.phones
    small = _too_few(phones, FULL_CROWD[found.server])
    if found.profile in ACKNOWLEDGED:
        for what, spread, percentile, goal in (
            ("ballot acknowledgement, p99", found.ack_ms, "p99", ACKNOWLEDGED[found.profile].get(phones, "")),
            (f"deadline to seal, worst of {found.turns} turns", found.sealed_ms, "max", "≤ 50 ms"),
            (
                f"deadline to last received reveal, worst of {found.turns} turns",
                *(found.last_reveal_ms, "max", LAST_REVEAL.get(phones, "")),
            ),
            (
                f"deadline to counted, worst of {found.turns} turns",
                *(found.resolved_ms, "max", "≤ 250 ms" if phones == 50_000 else ""),
            ),
        ):
            yield _row(
                found, crowd + what, getattr(spread, percentile, None), MS, goal=goal, not_judged=small
            )
    yield _row(found, crowd + "the crowd's share of CPU time", found.crowd_share, "{:.0%}")
    if found.profile == "spread":
        what = "CPU of gateways and store, per phone and turn with receipts"
        yield _row(found, crowd + what, found.turn_cpu_us, US, goal="≤ 190" if phones == 18_000 else "")
    if found.profile == "herd":
        what, goal = "mass disconnect to all reconnected", RECONNECTED.get(phones, "")
        yield _row(found, crowd + what, found.together_ms, MS, goal=goal, not_judged=small)
    acknowledged, missing = f"{found.ballots.acknowledged:,}", found.ballots.missing
    yield _row(found, f"{crowd}lost of {acknowledged} acknowledged ballots", missing, goal="≤ 0")
    goal = "" if found.profile == "herd" else "≤ 0"
    yield _row(found, crowd + "ballots not answered before the reveal", found.ballots.lost, goal=goal)
    yield _row(found, crowd + "phones not admitted", phones - found.joined, goal="≤ 0")


def _shared_deadline(found: SharedDeadline) -> Iterator[Row]:
    deadline = f"{found.events} event(s) of {found.phones:,} phones with one deadline, "
    goal = {20: "≤ 80 ms", 100: "≤ 200 ms", 300: "≤ 500 ms"}.get(found.events, "")
    yield _row(found, deadline + "last resolved", found.resolved_ms, MS, goal=goal)
    yield _row(found, deadline + "last received reveal", found.revealed_ms, MS)
    yield _row(found, deadline + "seals per phone", found.seals, goal="≤ 1")
    yield _row(found, deadline + "phones without a seal before the reveal", found.without_seal, goal="≤ 0")


def _small_event(found: SmallEvent) -> Row:
    what = f"a small event's change behind three of a {found.phones:,}-phone event"
    return _row(found, what, found.received_ms, MS, goal="≤ 300 ms")


def _too_few(phones: int, meant_for: int) -> str:
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""


def _chat(found: ChatRun) -> Iterator[Row]:
    beside = f"{found.chatters:,} chatters beside {found.phones:,} phones, "
    yield _row(found, f"{beside}lost of {found.sent:,} votes in the chat", found.lost, goal="≤ 0")
    what = f"{beside}ballot acknowledgement, p99, with ÷ without the chat"
    yield _ratio(found, what, (found.beside.p99, found.alone.p99), MS)
