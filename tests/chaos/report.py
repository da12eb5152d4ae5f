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
injected, *turns* how many turns it affected, *acknowledged* the ballots in them. *Longest outage* is the
longest time from the start of the fault until every phone was connected and up to date, *recovery* from its
end. *Close lag* is the time from the deadline until the turn was resolved, p50 / p99. *Test* names the fault
in `tests/chaos`.
"""
SHOWN_FINDINGS = 40
VALKEY_RESTARTS = ("Valkey killed", "Valkey killed during a close")
ONE_PROCESS_KILLED = (
    *(
        "gateway killed",
        "worker killed",
        "scheduler killed",
        "gateway killed during a close",
        "scheduler killed during a close",
    ),
    *(f"closing process killed {step}" for step in STEPS),
)
COUNTS = ("times", "turns", "acknowledged", "lost", "duplicated", "wrong")
HEAD = ("fault", *COUNTS, "longest outage", "recovery", "close lag", "test")


def format_result(result: Result) -> Iterator[str]:
    yield from table(result)
    yield ""
    yield from goals(result)
    yield ""
    yield summary(result)
    for name, why in result.not_applicable.items():
        yield f"not possible in this setup: {name}: {why}"
    yield from result.findings[:SHOWN_FINDINGS]
    if len(result.findings) > SHOWN_FINDINGS:
        yield f"… and {len(result.findings) - SHOWN_FINDINGS} more"


def summary(result: Result) -> str:
    mutant = f" Mutant: {result.mutant}." if result.mutant else ""
    return (
        f"{'PASSED' if result.passed else 'FAILED'}: seed {result.seed}, {result.server}, {result.database}, "
        f"{result.phones} phones in {result.events} events, {result.minutes:.0f} minutes. "
        f"{result.faulted_turns:,} turns with a fault of {result.turns:,}; {result.acknowledged:,} ballots "
        f"acknowledged; lost: {result.lost}, duplicated or wrong: {result.duplicated_or_wrong}; "
        f"unexpected frames and rejections: {result.unexpected}. "
        f"Close lag before the first fault: {_lag(result.healthy_lag_ms)}.{mutant}"
    )


def table(result: Result) -> Iterator[str]:
    """In Markdown. The lag is p50 / p99 in milliseconds."""
    yield f"| {' | '.join(HEAD)} |"
    yield f"|{' --- |' * len(HEAD)}"
    for row in result.rows:
        yield f"| {' | '.join(_cells(row))} |"


def _cells(row: Row) -> list[str]:
    numbers = (row.times, row.turns, row.acknowledged, row.lost, row.duplicated, row.wrong)
    never = f" ({row.never_recovered} never)" if row.never_recovered else ""
    seconds = (f"{row.outage_s:.1f} s", f"{row.recovery_s:.1f} s{never}")
    return [row.fault, *(f"{number:,}" for number in numbers), *seconds, _lag(row.lag_ms), f"`{row.test}`"]


def goals(result: Result) -> Iterator[str]:
    """The goals as Markdown, each with the worst measurement."""
    named = [row for row in result.rows if row.lag_ms]
    after_kills = [row.lag_ms.p99 for row in named if row.lag_ms and row.fault in ONE_PROCESS_KILLED]
    after_restarts = [row.lag_ms.p99 for row in named if row.lag_ms and row.fault in VALKEY_RESTARTS]
    healthy = [result.healthy_lag_ms.p99] if result.healthy_lag_ms else []
    recoveries = [row.recovery_s * 1000 for row in result.rows]
    yield "| goal | at most | measured |"
    yield "| --- | --- | --- |"
    yield f"| acknowledged ballots lost | 0 | {result.lost} |"
    yield f"| turns duplicated or wrong | 0 | {result.duplicated_or_wrong} |"
    yield f"| close lag p99, before the first fault | 250 ms | {_worst(healthy)} |"
    yield f"| close lag p99, after a process was killed | 2,000 ms | {_worst(after_kills)} |"
    yield f"| close lag p99, after Valkey was restarted | 5,000 ms | {_worst(after_restarts)} |"
    yield f"| recovery of every phone, after any fault | 10,000 ms | {_worst(recoveries)} |"


def _worst(times: list[float]) -> str:
    return f"{max(times):,.0f} ms" if times else "-"


def _lag(spread: Spread | None) -> str:
    return f"{spread.p50:.0f} / {spread.p99:.0f} ms" if spread else "-"


def write_table(result: Result) -> None:
    """Replace the page."""
    lines = [PAGE_HEAD, *goals(result), "", *table(result), "", summary(result), ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
