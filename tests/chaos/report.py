"""A campaign's result for people: lines, and the tables of docs/generated/faults.md."""

from collections.abc import Iterator

from crowdgame.rehearsal.samples import Spread
from deploy.laptop.paths import ROOT
from tests.chaos.points import STEPS
from tests.chaos.result import Result, Row

PAGE = ROOT / "docs" / "generated" / "faults.md"
PAGE_HEAD = """\
# Injected faults

<!-- Written by `make chaos ARGS=--write-table`. Edits here are lost. -->

The last campaign of the [chaos tests](../reliability.md#chaos-tests). *Times* is how often a fault was
injected, *turns* how many turns it met, *acknowledged* the ballots in them. *Longest outage* lasts from the
start of the fault until every phone was connected and up to date, *all right after* from its end. *Close lag*
is the time from the deadline until the turn was resolved, p50 / p99. *Test* names the fault in `tests/chaos`.
"""
SHOWN = 40
VALKEY_RESTARTS = ("Valkey killed", "Valkey dies at a step")
ONE_PROCESS_DIES = (
    *(
        "gateway killed",
        "worker killed",
        "scheduler killed",
        "gateway dies at a step",
        "scheduler dies at a step",
    ),
    *(f"closer dies {step}" for step in STEPS),
)
COUNTS = ("times", "turns", "acknowledged", "lost", "double", "wrong")
HEAD = ("fault", *COUNTS, "longest outage", "all right after", "close lag", "test")


def lines_of(result: Result) -> Iterator[str]:
    yield from table(result)
    yield ""
    yield from goals(result)
    yield ""
    yield summary(result)
    for name, why in result.not_here.items():
        yield f"not possible in this setup: {name}: {why}"
    yield from result.findings[:SHOWN]
    if len(result.findings) > SHOWN:
        yield f"… and {len(result.findings) - SHOWN} more"


def summary(result: Result) -> str:
    mutant = f" Mutant: {result.mutant}." if result.mutant else ""
    return (
        f"{'PASSED' if result.passed else 'FAILED'}: seed {result.seed}, {result.server}, {result.database}, "
        f"{result.phones} phones in {result.events} events, {result.minutes:.0f} minutes. "
        f"{result.faulted_turns:,} turns with a fault of {result.turns:,}; {result.acknowledged:,} ballots "
        f"acknowledged; lost: {result.lost}, double or wrong: {result.double_or_wrong}; frames or phones "
        f"that went astray: {result.misunderstood}. "
        f"Close lag before the first fault: {_lag(result.healthy_lag_ms)}.{mutant}"
    )


def table(result: Result) -> Iterator[str]:
    """In Markdown. The lag is p50 / p99 in milliseconds."""
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{' --- |' * len(HEAD)}"
    for row in result.rows:
        yield f"| {' | '.join(_cells(row))} |"


def _cells(row: Row) -> list[str]:
    numbers = (row.times, row.turns, row.acknowledged, row.lost, row.double, row.wrong)
    never = f" ({row.never_right} never)" if row.never_right else ""
    seconds = (f"{row.outage_s:.1f} s", f"{row.right_after_s:.1f} s{never}")
    return [row.fault, *(f"{number:,}" for number in numbers), *seconds, _lag(row.lag_ms), f"`{row.test}`"]


def goals(result: Result) -> Iterator[str]:
    """The goals as Markdown, each with the worst measurement."""
    named = [row for row in result.rows if row.lag_ms]
    died = [row.lag_ms.p99 for row in named if row.lag_ms and row.fault in ONE_PROCESS_DIES]
    store = [row.lag_ms.p99 for row in named if row.lag_ms and row.fault in VALKEY_RESTARTS]
    healthy = [result.healthy_lag_ms.p99] if result.healthy_lag_ms else []
    right = [row.right_after_s * 1000 for row in result.rows]
    yield "| goal | at most | measured |"
    yield "| --- | --- | --- |"
    yield f"| acknowledged ballots lost | 0 | {result.lost} |"
    yield f"| turns double or wrong | 0 | {result.double_or_wrong} |"
    yield f"| close lag p99, before the first fault | 250 ms | {_worst(healthy)} |"
    yield f"| close lag p99, a process died | 2,000 ms | {_worst(died)} |"
    yield f"| close lag p99, Valkey was started again | 5,000 ms | {_worst(store)} |"
    yield f"| every phone right again, after any fault | 10,000 ms | {_worst(right)} |"


def _worst(times: list[float]) -> str:
    return f"{max(times):,.0f} ms" if times else "-"


def _lag(spread: Spread | None) -> str:
    return f"{spread.p50:.0f} / {spread.p99:.0f} ms" if spread else "-"


def write_table(result: Result) -> None:
    """In place of the ones before."""
    lines = [PAGE_HEAD, *goals(result), "", *table(result), "", summary(result), ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
